import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { RawHttp, statusesOf } from '../support/attacks/raw-http.js';
import { abortHellos, helloSocket, isAcknowledged } from '../support/attacks/websocket-hello.js';
import { API_OPERATIONS } from '../support/rest/api-operations.js';
import { startStandalone, type RunningProgram } from '../support/services/program.js';
import { SmtpTalk } from '../support/smtp/smtp-talk.mjs';
import { until } from '../support/timing/until.js';
import { randomNumbers } from '../support/samples/random-numbers.js';

/** Defaults of HTTP_CONNECTIONS and HTTP_CONNECTIONS_PER_IP. */
const OVERALL = 2_000;
const PER_ADDRESS = 200;
const STALLED = 600;
const ABORTED = 1_000;
const FUZZED = 20_000;
/** The order of the random requests is the same in every run. */
const SEED = 20_261_123;

/** The attacks of test/system/attacks on HTTP in full counts, on a service of their own. */
describe('a service under attack over HTTP', () => {
  let program: RunningProgram;
  let port: number;

  beforeAll(async () => {
    program = await startStandalone();
    port = program.ports.http;
  });
  afterAll(async () => {
    expect(await program.stop()).toBe(0);
    program.clean();
  });

  const openSockets = (): number =>
    readdirSync(`/proc/${program.pid}/fd`).filter((fd) => {
      try {
        return readlinkSync(`/proc/${program.pid}/fd/${fd}`).startsWith('socket:');
      } catch {
        return false;
      }
    }).length;

  /** From several addresses, so that only the overall limit applies. */
  async function openFrom(network: number, count: number): Promise<RawHttp[]> {
    const all: RawHttp[] = [];
    for (let i = 0; i < count; i++)
      all.push(await RawHttp.open({ port, localAddress: `127.0.${network}.${1 + Math.floor(i / (PER_ADDRESS / 2))}` }));
    return all;
  }

  async function isWell(): Promise<void> {
    expect((await program.call('GET', '/readyz')).status).toBe(200);
    const talk = SmtpTalk.open(program.ports.smtp);
    expect((await talk.reply()).join()).toMatch(/^220 /);
    talk.close();
    expect(program.output()).not.toMatch(/"level":60/);
  }

  it(`closes ${STALLED} requests that do not arrive, and their descriptors`, async () => {
    const before = openSockets();
    const all = await openFrom(101, STALLED);
    for (const raw of all) raw.write('GET /healthz HTTP/1.1', 'Host: loc');
    await until(async () => openSockets() >= before + STALLED, { what: 'the connections' });
    await until(async () => all.every(({ ended }) => ended), { what: 'the time-outs', withinMs: 60_000 });
    await until(async () => openSockets() <= before + 20, { what: 'the end of the descriptors', withinMs: 60_000 });
    for (const raw of all) raw.destroy();
    await isWell();
  });

  it(`serves ${OVERALL} connections, closes the oldest idle ones for more, and goes on with SMTP and deliveries`, async () => {
    const all = await openFrom(102, OVERALL + 100);
    for (const raw of all) raw.write('GET /healthz HTTP/1.1', 'Host: localhost', '', '');
    await until(async () => all.every(({ received, closed, ended }) => received !== '' || closed || ended), {
      what: 'all responses',
      withinMs: 60_000,
    });
    const statuses = all.flatMap(({ received }) => statusesOf(received));
    // The tests hold a few connections of their own.
    expect(statuses.length).toBeGreaterThan(OVERALL - 20);
    expect(statuses.length).toBeLessThanOrEqual(OVERALL);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const talk = SmtpTalk.open(program.ports.smtp);
    expect((await talk.reply()).join()).toMatch(/^220 /);
    talk.close();
    for (const raw of all) raw.destroy();
    await until(async () => (await program.call('GET', '/readyz')).status === 200, {
      what: 'free memory for a request',
    });
    await isWell();
  });

  it(`loses no slot for live statistics to ${ABORTED} aborted connections`, async () => {
    for (let i = 0; i < ABORTED; i += 40) await abortHellos(port, program.key, 40);
    const sockets = Array.from({ length: 50 }, () => helloSocket(port, program.key));
    expect((await Promise.all(sockets.map(isAcknowledged))).filter(Boolean)).toHaveLength(50);
    await isWell();
  });

  it(`answers none of ${FUZZED} random paths and queries with an internal error`, async () => {
    const random = randomNumbers(SEED);
    const next = (below: number) => Math.floor(random() * below);
    const counts = new Map<number, number>();
    const wrong: string[] = [];
    const one = async (): Promise<void> => {
      const { method, path, query } = API_OPERATIONS[next(API_OPERATIONS.length)];
      const filled = path.replaceAll(/\{\w+\}/g, () => (next(3) === 0 ? newId('em') : randomText(next)));
      const names = [...query, 'unknown', ...(next(4) === 0 ? [randomText(next)] : [])];
      const pairs = Array.from({ length: next(4) }, () => {
        const suffix = ['', '', '', '[]', '[a]', '[__proto__]', '%00'][next(7)];
        return `${names[next(names.length)]}${suffix}=${randomText(next)}`;
      });
      const target = `${filled}?${pairs.join('&')}`;
      const answer = await fetch(program.url + target, {
        method: method === 'DELETE' ? 'GET' : method,
        headers: { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' },
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
      });
      await answer.arrayBuffer();
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
      if (answer.status >= 500) wrong.push(`${method} ${target}: ${answer.status}`);
    };
    for (let i = 0; i < FUZZED; i += 20) await Promise.all(Array.from({ length: 20 }, one));
    console.log('responses by status:', Object.fromEntries(counts));
    expect(wrong).toEqual([]);
    await isWell();
  });
});

const PIECES = ['%00', '%0d%0a', '%ff', '%e2%80%ae', '%f0%9f%92%a9', '%', '..%2f', "'", '%22', 'null', '-1', 'a', '0'];

const randomText = (next: (below: number) => number): string =>
  Array.from({ length: 1 + next(4) }, () => PIECES[next(PIECES.length)]).join('');
