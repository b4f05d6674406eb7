import { PassThrough } from 'node:stream';
import { setTimeout as later } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MessageMemory } from './message-memory.js';

const KIB = 1024;
const LIMIT = 1024 * KIB;

/** A message that is sent in parts; `read` is its size, or why it was refused. */
function message(budget: MessageMemory) {
  const stream = Object.assign(new PassThrough(), { byteLength: 0, sizeExceeded: false });
  const read = budget.receive(stream, { limit: LIMIT }).then(
    (octets) => octets.length,
    (error: Error) => error.message,
  );
  return {
    read,
    stream,
    async send(octets: number): Promise<void> {
      stream.write(Buffer.alloc(octets));
      await later(0);
    },
    end: () => stream.end(),
    isPaused: () => stream.isPaused(),
  };
}

describe('MessageMemory', () => {
  it('pauses a large message without memory until another is received', async () => {
    const budget = new MessageMemory(200 * KIB);
    const [first, second] = [message(budget), message(budget)];
    await first.send(150 * KIB);
    await second.send(100 * KIB);
    expect([first.isPaused(), second.isPaused()]).toEqual([false, true]);
    first.end();
    expect(await first.read).toBe(150 * KIB);
    expect(second.isPaused(), 'it is the oldest that is being received').toBe(false);
    budget.release(first.stream);
    await second.send(10 * KIB);
    second.end();
    expect(await second.read).toBe(110 * KIB);
  });

  it('counts a message until it is released, and never pauses ordinary messages', async () => {
    const budget = new MessageMemory(200 * KIB);
    const [stored, oldest, large, small] = [message(budget), message(budget), message(budget), message(budget)];
    await stored.send(300 * KIB);
    stored.end();
    await stored.read;
    await oldest.send(70 * KIB);
    await large.send(70 * KIB);
    await small.send(50 * KIB);
    expect([oldest.isPaused(), large.isPaused(), small.isPaused()]).toEqual([false, true, false]);
    budget.release(stored.stream);
    expect(large.isPaused()).toBe(false);
  });

  it('always reads the oldest message on', async () => {
    const budget = new MessageMemory(100 * KIB);
    const all = Array.from({ length: 5 }, () => message(budget));
    for (const one of all) await one.send(90 * KIB);
    expect(all.map((one) => one.isPaused())).toEqual([false, true, true, true, true]);
    for (const one of all) {
      expect(one.isPaused()).toBe(false);
      one.end();
      expect(await one.read).toBe(90 * KIB);
      budget.release(one.stream);
    }
  });

  it('refuses a message that has waited too long, and frees its memory', async () => {
    const budget = new MessageMemory(100 * KIB, 20);
    const [oldest, waiting] = [message(budget), message(budget)];
    await oldest.send(100 * KIB);
    await waiting.send(70 * KIB);
    await later(50);
    await waiting.send(1);
    expect(await waiting.read).toMatch(/^4\.3\.1 /);
    budget.release(oldest.stream);
    const next = message(budget);
    await next.send(99 * KIB);
    expect(next.isPaused()).toBe(false);
  });

  it('frees the memory of a cut and of an oversized message', async () => {
    const budget = new MessageMemory(100 * KIB);
    const [cut, large] = [message(budget), message(budget)];
    await cut.send(100 * KIB);
    cut.stream.destroy();
    expect(await cut.read).toMatch(/^4\.4\.2 /);
    await large.send(80 * KIB);
    large.stream.sizeExceeded = true;
    await large.send(1);
    expect(await large.read).toMatch(/^5\.3\.4 /);
    const next = [message(budget), message(budget)];
    await next[0].send(10 * KIB);
    await next[1].send(80 * KIB);
    expect(next[1].isPaused()).toBe(false);
  });
});
