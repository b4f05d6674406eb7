import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitsDuring, type Waits } from '../support/attacks/hostile-fixture.js';
import { BATCH, HOSTILE_SHAPES, ONE_MAIL, postBody, type BodyLimit } from '../support/attacks/hostile-bodies.js';
import { mail } from '../support/samples/mail.js';
import { startStandalone, type RunningProgram } from '../support/services/program.js';

const MEGABYTE = 1024 * 1024;

/** Latency of honest clients while others send bodies of the largest size. */
describe('hostile bodies', () => {
  let program: RunningProgram;
  beforeAll(async () => {
    program = await startStandalone();
  });
  afterAll(async () => {
    await program?.stop();
    program?.clean();
  });

  /** The longest pause of the process's own event loop since the last time that this was asked, in ms. */
  const longestPause = async (): Promise<number> => {
    const metrics = await (await fetch(`${program.url}/metrics`)).text();
    return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics)?.[1]) * 1000;
  };

  const observed = async (during: () => Promise<void>): Promise<Waits & { pause: number }> => {
    await longestPause();
    const waits = await waitsDuring(`${program.url}/healthz`, during);
    return { ...waits, pause: await longestPause() };
  };

  it.each([
    ['16 MB for one mail', ONE_MAIL],
    ['50 MB for a batch', BATCH],
  ])('are refused without keeping an honest client waiting: every shape of %s', async (what, limit) => {
    const calm = await observed(async () => {
      for (let i = 0; i < 10; i += 1) expect((await postBody(program, limit.path, honestBody(limit))).status).toBe(201);
    });
    const hostile = await observed(async () => {
      for (const [shape, piece] of Object.entries(HOSTILE_SHAPES))
        expect((await postBody(program, limit.path, Buffer.alloc(limit.bytes, piece))).status, shape).toBe(400);
    });
    const show = ({ count, p50, p99, max, pause }: Waits & { pause: number }) =>
      `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(0)}, worst ${max.toFixed(0)} of ${count}, longest pause ${pause.toFixed(0)}`;
    console.log(
      `${what}: honest client in ms beside honest bodies: ${show(calm)}; beside hostile ones: ${show(hostile)}`,
    );
    // Without the scan, most of the shapes block the event loop for a second or more.
    expect(hostile.pause).toBeLessThan(Math.max(100, 2 * calm.pause));
    expect(hostile.p99).toBeLessThan(Math.max(250, 2 * calm.p99));
  });

  it('keep an honest client waiting no longer than large honest mail does, when three come at once', async () => {
    const bytes = 12_000_000;
    const bombs = [
      '['.repeat(bytes),
      `[${'{},'.repeat(bytes / 3)}{}]`,
      `{${Array.from({ length: bytes / 16 }, (_, i) => `"key${i}":1`).join(',')}}`,
    ];
    const honest = JSON.stringify(mail({ text: 'a'.repeat(bytes) }));
    const beside = async (bodies: string[]) => {
      const [worst, ...answers] = await Promise.all([
        slowestOf(program, 40),
        ...bodies.map((body) => postBody(program, '/emails', body)),
      ]);
      return { worst, statuses: answers.map(({ status }) => status) };
    };
    const calm = await beside([honest, honest, honest]);
    const hostile = await beside(bombs);
    console.log(
      `slowest honest answer: ${calm.worst.toFixed(0)} ms beside large honest mail, ${hostile.worst.toFixed(0)} ms beside bombs of the same size`,
    );
    expect(calm.statuses).toEqual([422, 422, 422]);
    expect(hostile.statuses).toEqual([400, 400, 400]);
    // Without the scan, each of the three blocks the event loop for a second or more; an honest body for a tenth.
    expect(hostile.worst).toBeLessThan(3 * Math.max(calm.worst, 50));
  });
});

/** A valid body of the largest size, with attachments. */
function honestBody({ path, bytes }: BodyLimit): string {
  const content = Buffer.alloc(9 * MEGABYTE, 'Once upon a midnight dreary, ').toString('base64');
  const one = mail({ attachments: [{ filename: 'raven.txt', content }], scheduled_at: inAnHour() });
  return JSON.stringify(path === ONE_MAIL.path ? one : Array(Math.floor(bytes / (13 * MEGABYTE))).fill(one));
}

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** The longest of `count` small requests, one after another, in ms. */
async function slowestOf(program: RunningProgram, count: number): Promise<number> {
  let slowest = 0;
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    await (await program.call('GET', '/domains')).arrayBuffer();
    slowest = Math.max(slowest, performance.now() - startedAt);
  }
  return slowest;
}
