import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { Metrics } from '#libs/kernel';
import type { FastifyRequest } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bodyLimitsOf } from './body-limits.js';
import { BodyMemory } from './body-memory.js';

const MIB = 1024 * 1024;
const WAIT_MS = 10_000;

let metrics: Metrics;
let memory: BodyMemory;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  metrics = new Metrics();
  memory = new BodyMemory(metrics);
});
afterEach(() => vi.useRealTimers());

const used = async (): Promise<number> =>
  Number(/^postloft_http_body_bytes (\d+)$/m.exec(await metrics.registry.metrics())?.[1]);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A body that is sent in parts; `read` is its size, or the code of its refusal. */
function body(ip: string, accountId: string | null = null) {
  const payload = new PassThrough();
  const principal = accountId === null ? null : { accountId };
  const request = { ip, principal } as unknown as FastifyRequest;
  const limit = bodyLimitsOf({ body: 'batch' });
  const read = memory.read(request, payload as unknown as IncomingMessage, limit).then(
    (bytes) => bytes.length,
    (error: { code: string }) => error.code,
  );
  return {
    read,
    async send(bytes: number): Promise<void> {
      payload.write(Buffer.alloc(bytes));
      await turn();
    },
    async end(): Promise<void> {
      payload.end();
      await turn();
    },
    cut: () => payload.destroy(),
    isPaused: () => payload.isPaused(),
    processed: () => memory.release(request),
  };
}

describe('BodyMemory', () => {
  it.each([
    ['account', () => [body('192.0.2.1', 'acc_1'), body('192.0.2.2', 'acc_1')]],
    ['address', () => [body('192.0.2.1', 'acc_1'), body('192.0.2.1', 'acc_2')]],
    ['network', () => [body('2001:db8::1'), body('2001:db8::2')]],
  ] as const)('has 50 MiB for the bodies of one %s, and refuses more with 429', async (_what, bodies) => {
    const [first, second] = bodies();
    const other = body('192.0.2.9', 'acc_9');
    await first.send(49 * MIB);
    await second.send(2 * MIB);
    await other.send(2 * MIB);
    expect([first.isPaused(), second.isPaused(), other.isPaused()]).toEqual([false, true, false]);
    expect(await used()).toBe(53 * MIB);
    vi.advanceTimersByTime(WAIT_MS);
    await second.send(1);
    expect(await second.read).toBe('rate_limit_exceeded');
    expect(await used()).toBe(51 * MIB);
    await first.end();
    expect(await first.read).toBe(49 * MIB);
  });

  it('has 100 MiB for all bodies, and refuses more with 503', async () => {
    const all = [1, 2, 3].map((i) => body(`192.0.2.${i}`, `acc_${i}`));
    for (const one of all) await one.send(40 * MIB);
    expect(all.map((one) => one.isPaused())).toEqual([false, false, true]);
    vi.advanceTimersByTime(WAIT_MS);
    await all[2].send(1);
    expect(await all[2].read).toBe('service_unavailable');
    expect(await used()).toBe(80 * MIB);
  });

  it('continues a body that waits when another was processed, and counts each until then', async () => {
    const [first, second] = [body('192.0.2.1'), body('192.0.2.1')];
    await first.send(49 * MIB);
    await second.send(2 * MIB);
    await first.end();
    await first.read;
    expect(await used()).toBe(51 * MIB);
    first.processed();
    expect([second.isPaused(), await used()]).toEqual([false, 2 * MIB]);
  });

  it('frees the memory of a body that is cut, or too large', async () => {
    const [cut, large] = [body('192.0.2.1'), body('192.0.2.2')];
    await cut.send(MIB);
    await large.send(50 * MIB);
    await large.send(MIB);
    expect(await used(), 'bytes beyond the limit are not kept').toBe(MIB);
    cut.cut();
    await turn();
    expect([await cut.read, await used()]).toEqual(['validation_error', 0]);
    await large.end();
    expect(await large.read).toBe('message_too_large');
  });
});
