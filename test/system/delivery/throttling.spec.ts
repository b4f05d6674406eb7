import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../../support/services/cli.js';
import type { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { MailNetwork } from '../../support/services/mail-network.js';
import { LETTERBOX, LETTERBOX_SUSPENSION_MS } from '../../support/services/profiles.js';
import type { ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';

interface Explained {
  recipients: {
    state: string;
    waiting_for: string | null;
    until: string | null;
    because: string;
    held: { kind: string; queue: string; mx: string; words: string } | null;
  }[];
}

const SHORT = '421 4.7.0 Too much mail from you, come back soon';
const LONG = '421 4.7.0 Too much mail from you, come back tomorrow';
const ZONE = 'shaping.test';
const ONE = `one.${ZONE}`;
const TWO = `two.${ZONE}`;
const MX = `mx1.${LETTERBOX}`;

/** A provider of the throttling file whose replies match the automations of that file. */
describe('shaping', () => {
  let network: MailNetwork<ServiceAccount>;
  let program: ServiceAccount;
  let mx: ScriptedMx;
  let refusal: string | null = null;

  beforeAll(async () => {
    network = await MailNetwork.open('delivery', [LETTERBOX, ZONE]);
    program = network.sender;
    const address = network.nextAddress();
    for (const domain of [ONE, TWO]) network.dns.set(domain, { MX: [{ preference: 10, exchange: MX }] });
    network.dns.set(MX, { A: [address] });
    mx = await network.mailServerAt(address, {
      on: { mail: () => (refusal === null ? undefined : { reply: refusal, then: 'close' }) },
    });
  });
  afterAll(() => network?.close());

  const send = async (to: string, over: object = {}) =>
    ((await (await program.call('POST', '/emails', program.mail({ to, ...over }))).json()) as { id: string }).id;
  const statusOf = async (id: string) =>
    ((await (await program.call('GET', `/emails/${id}`)).json()) as { status: string }).status;
  const explain = async (id: string) =>
    ((await (await program.call('GET', `/emails/${id}/explain`)).json()) as Explained).recipients[0];
  const becomes = (id: string, status: string) =>
    until(async () => (await statusOf(id)) === status, { what: `status ${status} of ${id}` });
  const isHeld = (id: string) =>
    until(
      async () => {
        const explained = await explain(id);
        return explained.waiting_for === 'shaping' ? explained : null;
      },
      { what: `${id} to wait for shaping` },
    );

  it('suspends mail to a provider after a matching reply, explains until when, and resumes then', async () => {
    refusal = SHORT;
    const first = await send(`ann@${ONE}`);
    await becomes(first, 'deferred');
    const refusedAt = Date.now();
    refusal = null;
    const second = await send(`bob@${TWO}`);
    const { held, because, until: end } = await isHeld(second);
    expect(held).toEqual({
      kind: 'suspended',
      queue: 'letterbox',
      source: '127.0.0.1',
      mx: MX,
      words: SHORT,
    });
    expect(because).toBe(
      `Delivery to letterbox from 127.0.0.1 is paused because of a reply of a server there. mx1.letterbox.test answered: ${SHORT}`,
    );
    expect(Date.parse(end ?? '')).toBeLessThanOrEqual(refusedAt + LETTERBOX_SUSPENSION_MS);
    expect(mx.accepted).toEqual([]);
    await becomes(second, 'delivered');
    await becomes(first, 'delivered');
    expect(Math.min(...mx.accepted.map(({ at }) => at))).toBeGreaterThanOrEqual(Date.parse(end ?? ''));
  });

  it('is listed, measured and resumed by the operator', async () => {
    refusal = LONG;
    await becomes(await send(`cid@${ONE}`), 'deferred');
    refusal = null;
    const waiting = await send(`dan@${TWO}`);
    await isHeld(waiting);
    // A program publishes what it has learnt for the others about once a second.
    const listed = await until(
      async () => {
        const queues = JSON.parse(await cli(program.env, 'queues', '--json')) as { queue: string; rule: string }[];
        const ours = queues.filter(({ queue }) => queue === 'letterbox');
        return ours.some(({ rule }) => rule === 'letterbox-tomorrow') && ours;
      },
      { what: 'the suspension in the list' },
    );
    expect(listed).toMatchObject([
      { queue: 'letterbox', state: 'suspended', rule: 'letterbox-tomorrow', mx: MX, words: LONG },
    ]);
    const metrics = await (await fetch(`${program.url}/metrics`)).text();
    expect(metrics).toContain('postloft_penalties_active{provider="letterbox",kind="suspended"} 1');
    expect(metrics).toMatch(/^postloft_attempts_total\{outcome="delivered",provider="letterbox"\} 2$/m);
    expect(metrics).toMatch(/^postloft_queue_recipients\{provider="letterbox",state="held"\} [12]$/m);
    expect(await cli(program.env, 'queues', 'resume', 'letterbox')).toContain('letterbox goes on');
    await becomes(waiting, 'delivered');
    const told = await until(
      () => {
        const lines = program.output().split('\n');
        const ours = lines.filter((line) => line.includes('"queue":"letterbox"'));
        return Promise.resolve(ours.length >= 4 && ours.map((line) => JSON.parse(line) as object));
      },
      { what: 'the lines of the log' },
    );
    expect(told).toMatchObject([
      { event: 'suspended begins', rule: 'letterbox-soon' },
      { event: 'suspended ended', rule: 'letterbox-soon' },
      { event: 'suspended begins', rule: 'letterbox-tomorrow' },
      { event: 'suspended ended', rule: 'letterbox-tomorrow' },
    ]);
  });

  it('connects from the source address selected by a tag, with its HELO name', async () => {
    const id = await send(`eve@${ONE}`, { tags: { stream: 'news' } });
    await becomes(id, 'delivered');
    const { data } = (await (await program.call('GET', `/emails/${id}/attempts`)).json()) as { data: object[] };
    expect(data).toMatchObject([{ source_ip: '127.0.0.2', provider: 'letterbox' }]);
    expect(mx.sessions.some(({ commands }) => commands.includes('EHLO news.postloft.test'))).toBe(true);
  });

  it('is validated by --check-config, without a database', () => {
    const folder = mkdtempSync(join(tmpdir(), 'shaping-'));
    const file = join(folder, 'wrong.json');
    writeFileSync(file, JSON.stringify({ providers: { google: { connections: 0 } } }));
    const check = () =>
      execFileSync(
        process.execPath,
        [new URL('../../../dist/programs/standalone.js', import.meta.url).pathname, '--check-config'],
        {
          env: { ...process.env, SHAPING_FILE: file },
          stdio: 'pipe',
          encoding: 'utf8',
        },
      );
    expect(check).toThrow(
      `SHAPING_FILE ${file}: providers.google.connections must be a whole number from 1 to 1000; it is 0.`,
    );
    rmSync(folder, { recursive: true });
  });
});
