import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.js';
import { LocalDns } from '../support/local-dns.js';
import { mail } from '../support/mail.js';
import { startStandalone, type RunningProgram } from '../support/program.js';
import { ScriptedMx } from '../support/scripted-mx.js';
import { until } from '../support/until.js';

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
const SUSPENSION_MS = 4_000;

/** A provider of the operator's file that answers with the words its automations wait for. */
describe('shaping', () => {
  let folder: string;
  let dns: LocalDns;
  let mx: ScriptedMx;
  let program: RunningProgram;
  let refusal: string | null = null;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shaping-'));
    const file = join(folder, 'shaping.json');
    const suspend = (id: string, words: string, minutes: number) => ({
      id,
      code: 421,
      words,
      action: 'suspend',
      minutes,
    });
    writeFileSync(
      file,
      JSON.stringify({
        sources: {
          main: [{ address: '127.0.0.1' }],
          news: [{ address: '127.0.0.2', helo: 'news.postloft.test' }],
        },
        rules: [{ tag: 'stream=news', pool: 'news' }],
        providers: {
          letterbox: {
            mx: ['letterbox.test'],
            connections: 4,
            automations: [
              suspend('letterbox-soon', 'come back soon', SUSPENSION_MS / 60_000),
              suspend('letterbox-tomorrow', 'tomorrow', 600),
            ],
          },
        },
      }),
    );
    mx = await ScriptedMx.start({
      on: { mail: () => (refusal === null ? undefined : { reply: refusal, then: 'close' }) },
    });
    dns = await LocalDns.start({
      'one.test': { MX: [{ preference: 10, exchange: 'mx1.letterbox.test' }] },
      'two.test': { MX: [{ preference: 10, exchange: 'mx1.letterbox.test' }] },
      'mx1.letterbox.test': { A: ['127.0.0.1'] },
    });
    program = await startStandalone({
      DELIVERY_MODE: 'mx',
      MX_PORT: String(mx.port),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: `127.0.0.1:${dns.port}`,
      DELIVERY_RETRY_SCHEDULE: '1s',
      SHAPING_FILE: file,
    });
  });
  afterAll(async () => {
    await program?.stop();
    await mx?.close();
    await dns?.close();
    program?.clean();
    rmSync(folder, { recursive: true, force: true });
  });

  const send = async (to: string, over: object = {}) =>
    ((await (await program.call('POST', '/emails', mail({ to, ...over }))).json()) as { id: string }).id;
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

  it('holds back all mail to a provider after its words, tells whose and until when, and goes on then', async () => {
    refusal = SHORT;
    const first = await send('ann@one.test');
    await becomes(first, 'deferred');
    const refusedAt = Date.now();
    refusal = null;
    const second = await send('bob@two.test');
    const { held, because, until: end } = await isHeld(second);
    expect(held).toEqual({
      kind: 'suspended',
      queue: 'letterbox',
      source: '127.0.0.1',
      mx: 'mx1.letterbox.test',
      words: SHORT,
    });
    expect(because).toBe(
      `Mail to letterbox from 127.0.0.1 is paused because of what a server there answered (letterbox-soon). mx1.letterbox.test answered: ${SHORT}`,
    );
    expect(Date.parse(end ?? '')).toBeLessThanOrEqual(refusedAt + SUSPENSION_MS);
    expect(mx.accepted).toEqual([]);
    await becomes(second, 'delivered');
    await becomes(first, 'delivered');
    expect(Math.min(...mx.accepted.map(({ at }) => at))).toBeGreaterThanOrEqual(Date.parse(end ?? ''));
  });

  it('is listed, measured and resumed by the operator', async () => {
    refusal = LONG;
    await becomes(await send('cid@one.test'), 'deferred');
    refusal = null;
    const waiting = await send('dan@two.test');
    await isHeld(waiting);
    // What a program has learnt is written down for the others about once a second.
    const listed = await until(
      async () => {
        const queues = JSON.parse(await cli(program.env, 'queues', '--json')) as { rule: string }[];
        return queues.some(({ rule }) => rule === 'letterbox-tomorrow') && queues;
      },
      { what: 'the suspension in the list' },
    );
    expect(listed).toMatchObject([
      { queue: 'letterbox', state: 'suspended', rule: 'letterbox-tomorrow', mx: 'mx1.letterbox.test', words: LONG },
    ]);
    const metrics = await (await fetch(`${program.url}/metrics`)).text();
    expect(metrics).toContain('postloft_shaping_restraints{provider="letterbox",kind="suspended"} 1');
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

  it('speaks from the address that a tag picks, under its name', async () => {
    const id = await send('eve@one.test', { tags: { stream: 'news' } });
    await becomes(id, 'delivered');
    const { data } = (await (await program.call('GET', `/emails/${id}/attempts`)).json()) as { data: object[] };
    expect(data).toMatchObject([{ source_ip: '127.0.0.2', provider: 'letterbox' }]);
    expect(mx.sessions.some(({ commands }) => commands.includes('EHLO news.postloft.test'))).toBe(true);
  });

  it('is judged by --check-config, without a database', () => {
    const file = join(folder, 'wrong.json');
    writeFileSync(file, JSON.stringify({ providers: { google: { connections: 0 } } }));
    const check = () =>
      execFileSync(
        process.execPath,
        [new URL('../../dist/programs/standalone.js', import.meta.url).pathname, '--check-config'],
        {
          env: { ...process.env, SHAPING_FILE: file },
          stdio: 'pipe',
          encoding: 'utf8',
        },
      );
    expect(check).toThrow(
      `SHAPING_FILE ${file}: providers.google.connections must be a whole number from 1 to 1000; it is 0.`,
    );
  });
});
