import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KilledWhileSending } from '../../support/delivery/killed-while-sending.js';
import { LocalDns } from '../../support/dns/local-dns.js';
import { policyFile, PolicyServer } from '../../support/mail-servers/policy-server.js';
import { freePorts } from '../../support/services/ports.js';
import { copyPreparedDataDir } from '../../support/services/prepared-data-dir.js';
import { callersOf, launch, standaloneEnv, type RunningProgram } from '../../support/services/program.js';
import type { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { testAuthority } from '../../support/fixtures/self-signed-certificate.js';
import { MailNetwork, mxSettings } from '../../support/services/mail-network.js';
import { until } from '../../support/timing/until.js';

const MAIN = join(new URL('../../../', import.meta.url).pathname, 'dist/programs/standalone.js');
const CONCURRENCY = 20;
/** Mails to a server that is silent when the program dies. */
const HELD = 10;
const HELD_TAG = 'tags[run]=held';

interface Attempt {
  outcome: string;
  tls_policy: string | null;
}

/** One service that is killed twice: while it makes the first account, and under load. */
describe('the program, killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postloft-authority-'));
  const authority = testAuthority();
  let env: Record<string, string>;
  let program: RunningProgram;
  let network: MailNetwork;
  let policies: PolicyServer;
  let silent: ScriptedMx;
  let taker: ScriptedMx;

  beforeAll(async () => {
    const dns = await LocalDns.start();
    const [mxPort] = await freePorts(1);
    policies = await PolicyServer.start(authority);
    writeFileSync(join(folder, 'authority.pem'), authority.cert);
    env = {
      ...(await standaloneEnv(copyPreparedDataDir())),
      ...mxSettings(dns, mxPort),
      MTA_STS_PORT: String(policies.port),
      NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
      DELIVERY_CONCURRENCY: String(CONCURRENCY),
      DELIVERY_RETRY_SCHEDULE: '1s',
    };
    expect(await outputUntilAccountIsMade(env)).not.toContain('First API key');
    program = await launch('standalone', env);
    await until(async () => program.output().includes('Postloft is running'), { what: 'the welcome' });
    const key = /First API key +(\S+)/.exec(program.output())?.[1] ?? '';
    program = { ...program, key, ...callersOf(program.url, key) };
    network = MailNetwork.around(program, dns, mxPort);
    taker = await network.mailServer('taker.test');
    silent = await network.mailServer('silent.test', { on: { banner: 'silence' } });
  });
  afterAll(async () => {
    await program?.kill();
    await policies?.close();
    await network?.close();
    program?.clean();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Sends a mail and waits for its first attempt. */
  async function attemptAt(to: string): Promise<Attempt> {
    const sent = await program.call('POST', '/emails', network.sender.mail({ to }));
    const { id } = (await sent.json()) as { id: string };
    return until(
      async () => {
        const shown = await program.call('GET', `/emails/${id}/attempts`);
        return ((await shown.json()) as { data: Attempt[] }).data.at(-1) ?? null;
      },
      { what: `an attempt for ${to}` },
    );
  }

  async function held(filter: string): Promise<string[]> {
    const response = await program.call('GET', `/emails?limit=100&${HELD_TAG}&${filter}`);
    expect(response.status, filter).toBe(200);
    return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id).toSorted();
  }

  /** Removes one TXT record; the other one announces a new policy that cannot be fetched. */
  function withdrawPolicies(): void {
    network.dns.remove('_mta-sts.unpublished.test');
    network.dns.set('_mta-sts.unavailable.test', { TXT: ['v=STSv1; id=2;'] });
    policies.set('unavailable.test', { status: 500 });
  }

  it('while it makes the first account, shows the first API key at its next start', async () => {
    expect((await program.call('GET', '/domains')).status).toBe(200);
  });

  it('fetches the TLS policies of domains whose server has no TLS', async () => {
    const plain = network.nextAddress();
    await network.mailServerAt(plain);
    for (const domain of ['unpublished.test', 'unavailable.test']) {
      network.route(domain, plain);
      network.dns.set(`_mta-sts.${domain}`, { TXT: ['v=STSv1; id=1;'] });
      network.dns.set(`mta-sts.${domain}`, { A: [policies.host] });
      policies.set(domain, { body: policyFile('enforce', `mx.${domain}`) });
      expect(await attemptAt(`before@${domain}`)).toMatchObject({ outcome: 'deferred', tls_policy: 'sts' });
    }
  });

  it('under load, loses nothing that was answered 201, repeats at most what was in flight, and needs no repair', async () => {
    const answers = await Promise.all(
      Array.from({ length: HELD }, (_, i) =>
        program.call('POST', '/emails', network.sender.mail({ to: `held-${i}@silent.test`, tags: { run: 'held' } })),
      ),
    );
    const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));
    await until(async () => silent.sessions.length > 0, { what: 'a delivery to the silent server' });
    const killed = new KilledWhileSending(network.sender, 'taker.test');
    await killed.sendAndKill(program);
    withdrawPolicies();
    const { key } = program;
    program = await launch('standalone', env);
    program = { ...program, key, ...callersOf(program.url, key) };

    await until(async () => killed.hasArrived(taker), { withinMs: 60_000, everyMs: 250, what: 'every answered mail' });
    expect(killed.duplicates(taker)).toBeLessThanOrEqual(CONCURRENCY);
    // Mail that was being sent is queued or being sent again; in one list, because it may go from one state to the other.
    expect(await held('waiting=true')).toEqual(ids.toSorted());
    expect(await held('last_event=queued')).toEqual(ids.toSorted());
    silent.script = {};
    silent.dropConnections();
    await until(async () => (await held('status=delivered')).length === HELD, { withinMs: 60_000, what: 'all mails' });
    expect(await held('last_event=delivered')).toEqual(ids.toSorted());
    for (const filter of ['status=queued', 'status=sending', 'status=deferred', 'last_event=queued'])
      expect(await held(filter), filter).toEqual([]);
  });

  it('keeps to a TLS policy once fetched, whatever became of its TXT record and its web server', async () => {
    for (const domain of ['unpublished.test', 'unavailable.test'])
      expect(await attemptAt(`after@${domain}`)).toMatchObject({ outcome: 'deferred', tls_policy: 'sts' });
    expect(policies.count('unpublished.test')).toBe(1);
    expect(policies.count('unavailable.test')).toBe(2);
  });
});

/** Kills a first start as soon as the account is made; resolves with its output. */
async function outputUntilAccountIsMade(env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [MAIN], { env: { PATH: process.env['PATH'] ?? '', ...env } });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes('created the first account')) child.kill('SIGKILL');
  });
  await ended;
  return output;
}
