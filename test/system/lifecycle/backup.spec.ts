import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../../support/dns/local-dns.js';
import type { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { cli } from '../../support/services/cli.js';
import { MailNetwork, mxSettings } from '../../support/services/mail-network.js';
import { freePorts } from '../../support/services/ports.js';
import { emptyDataDir, launch, startStandalone, type RunningProgram } from '../../support/services/program.js';
import { until } from '../../support/timing/until.js';

const ROOT = new URL('../../../', import.meta.url).pathname;
/** Commands start an engine of their own. */
const COMMAND_MS = 120_000;

interface Shown {
  id: string;
  status: string;
  text: string | null;
}

/** A service with a journal that is backed up, killed, and restored on an empty data directory. */
describe('a backup', { timeout: COMMAND_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'postloft-backup-'));
  const target = join(folder, 'backups');
  const passphrase = join(folder, 'passphrase');
  const sent: Record<string, string> = {};
  const dataDirs: string[] = [];
  let network: MailNetwork;
  let taker: ScriptedMx;
  let silent: ScriptedMx;
  let program: RunningProgram;
  let restored: RunningProgram | undefined;

  beforeAll(async () => {
    writeFileSync(passphrase, 'a passphrase of the tests\n');
    const dns = await LocalDns.start();
    const [mxPort] = await freePorts(1);
    program = await startStandalone({
      ...mxSettings(dns, mxPort),
      CONTENT_STORE: 'files',
      BACKUP_JOURNAL: join(folder, 'journal'),
    });
    network = MailNetwork.around(program, dns, mxPort);
    taker = await network.mailServer('taker.test');
    silent = await network.mailServer('silent.test', { on: { dot: 'silence' } });
  });
  afterAll(async () => {
    await restored?.kill();
    await program?.kill();
    await network?.close();
    program?.clean();
    for (const path of [folder, ...dataDirs]) rmSync(path, { recursive: true, force: true });
  });

  const send = async (name: string, over: Record<string, unknown> = {}) => {
    sent[name] = await network.sender.send({
      to: `${name}@taker.test`,
      subject: name,
      text: `Text of ${name}.`,
      ...over,
    });
  };
  const emptyEnv = (over: Record<string, string> = {}) => {
    const dataDir = emptyDataDir();
    dataDirs.push(dataDir);
    return { ...program.env, DATA_DIR: dataDir, ...over };
  };
  const arrivedAt = (name: string) =>
    taker.accepted.filter(({ recipients }) => recipients.includes(`${name}@taker.test`)).length;
  const shown = async (service: RunningProgram, name: string) => service.json<Shown>('GET', `/emails/${sent[name]}`);

  it('is made while the service runs, and is complete', async () => {
    await send('before');
    await send('later', { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    await until(async () => arrivedAt('before') === 1, { what: 'the first email' });
    const made = JSON.parse(
      await cli(program.env, 'backup', target, '--with-master-key', '--passphrase-file', passphrase, '--json'),
    ) as { generation: string; emails: number };
    expect(made).toMatchObject({ emails: 2, accounts: 1, master_key: true });
    expect(readdirSync(target)).toEqual([made.generation]);
    const verified = JSON.parse(await cli(program.env, 'backup', 'verify', target, '--json')) as object;
    expect(verified).toMatchObject({ generation: made.generation, emails: 2 });
    const manifest = readFileSync(join(target, made.generation, 'manifest.json'), 'utf8');
    expect(manifest).not.toContain(program.env['BOOTSTRAP_API_KEY']);
    expect(manifest).toContain('"BOOTSTRAP_API_KEY": "(set)"');
  });

  it('has a counterpart for one account, with everything that it owns', async () => {
    const [{ id }] = JSON.parse(await cli(program.env, 'accounts', 'list', '--json')) as { id: string }[];
    const lines = (await cli(program.env, 'accounts', 'export', id)).trimEnd().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as { table: string; row: Record<string, unknown> });
    const of = (table: string) => rows.filter((one) => one.table === table).map(({ row }) => row);
    expect(of('emails').map((row) => row['id'])).toEqual(expect.arrayContaining([sent['before'], sent['later']]));
    expect(of('recipients')).toHaveLength(2);
    expect(of('email_contents').map(({ body }) => Buffer.from(String(body), 'base64').toString())).toContainEqual(
      expect.stringContaining('Text of before.'),
    );
    expect(of('event_log').map(({ type }) => type)).toContain('email.delivered');
    expect(lines.join()).not.toMatch(/private_sealed|fingerprint|password_hash/);
    expect(await failure(program.env, 'accounts', 'export', 'acc_unknown')).toContain(
      'There is no account acc_unknown.',
    );
  });

  it('is brought to the moment of the loss by the journal, and nothing is sent twice', async () => {
    await send('since', { tags: { run: 'since' } });
    await send('unsure', { to: 'unsure@silent.test' });
    await network.sender.call('POST', `/emails/${sent['later']}/cancel`);
    await until(async () => arrivedAt('since') === 1 && silent.count('dot') === 1, { what: 'both at their servers' });
    const journal = () =>
      readdirSync(join(folder, 'journal'), { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('Z'));
    await until(async () => journal().length === 2, { what: 'both parts of the journal' });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await program.kill();

    const env = emptyEnv();
    const told = JSON.parse(await cli(env, 'restore', target, '--passphrase-file', passphrase, '--json')) as object;
    expect(told).toMatchObject({ emails: 2, journal: { emails: 2, isCovered: true }, held: { in_flight: 1 } });
    silent.script = {};
    const more = await launch('standalone', env);
    restored = { ...more, ...program, json: more.json, call: more.call, kill: more.kill, env };
    expect(await shown(restored, 'before')).toMatchObject({ status: 'delivered', text: 'Text of before.' });
    expect(await shown(restored, 'since')).toMatchObject({ status: 'delivered', text: 'Text of since.' });
    expect(await shown(restored, 'later')).toMatchObject({ status: 'canceled' });
    const held = JSON.parse(await cli(env, 'queue', 'held', '--json')) as { recipients: object[] };
    expect(held.recipients).toEqual([
      expect.objectContaining({ email_id: sent['unsure'], address: 'unsure@silent.test', reason: 'in_flight' }),
    ]);
    expect(silent.accepted).toHaveLength(0);
    const events = await restored.json<{ data: { type: string }[] }>('GET', `/emails/${sent['since']}/events`);
    expect(events.data.map(({ type }) => type).toSorted()).toEqual(['email.delivered', 'email.queued', 'email.sent']);
  });

  it('leaves what cannot be decided to the operator', async () => {
    const service = restored as RunningProgram;
    expect(await cli(service.env, 'queue', 'held', 'release', sent['unsure'])).toContain('due again: 1');
    await until(async () => silent.accepted.length === 1, { what: 'the released email' });
    expect(await cli(service.env, 'queue', 'held')).toContain('(none)');
    expect([arrivedAt('before'), arrivedAt('since'), arrivedAt('later')]).toEqual([1, 1, 0]);
  });

  /** Standard error of a command that fails. */
  async function failure(env: Record<string, string>, ...args: string[]): Promise<string> {
    const options = { env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...env } };
    const file = join(ROOT, 'dist/programs/cli.js');
    return promisify(execFile)(process.execPath, [file, ...args], options).then(
      () => 'it succeeded',
      ({ stderr }: { stderr: string }) => stderr.trim().split('\n').at(-1) ?? '',
    );
  }

  it('is refused in one sentence where it cannot be made or restored, and nothing changes', async () => {
    const [generation] = readdirSync(target);
    const noKey = emptyEnv();
    const wrong = join(folder, 'wrong');
    writeFileSync(wrong, 'another passphrase\n');
    const refused: [string, Record<string, string>, string[]][] = [
      ['TARGET must be a folder or s3://bucket/prefix; it is "ftp://host".', noKey, ['backup', 'ftp://host']],
      ['--with-master-key needs a passphrase', noKey, ['backup', target, '--with-master-key']],
      ['There is no complete backup at', noKey, ['restore', join(folder, 'nowhere')]],
      ['give the passphrase with --passphrase-file', noKey, ['restore', target]],
      ['The passphrase does not open the master key', noKey, ['restore', target, '--passphrase-file', wrong]],
      [
        'holds accounts: a backup is restored into an empty one only.',
        (restored as RunningProgram).env,
        ['restore', target],
      ],
    ];
    for (const [sentence, env, args] of refused)
      expect(await failure(env, ...args), args.join(' ')).toContain(sentence);

    const file = readdirSync(join(target, generation, 'database')).find((name) => name.startsWith('emails.')) ?? '';
    const path = join(target, generation, 'database', file);
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1] ^= 1;
    writeFileSync(path, bytes);
    const damaged = `The file ${generation}/database/${file} of ${target} is damaged`;
    expect(await failure(noKey, 'backup', 'verify', target)).toContain(damaged);
    expect(await failure(noKey, 'restore', target, '--passphrase-file', passphrase)).toContain(damaged);
    rmSync(path);
    expect(await failure(noKey, 'backup', 'verify', target)).toContain('is missing.');
    rmSync(join(target, generation, 'manifest.json'));
    expect(await failure(noKey, 'backup', 'verify', target)).toContain('There is no complete backup at');
    expect(existsSync(join(noKey['DATA_DIR'], 'postgres'))).toBe(false);
    expect(existsSync(join(noKey['DATA_DIR'], 'master-key'))).toBe(false);
  });
});
