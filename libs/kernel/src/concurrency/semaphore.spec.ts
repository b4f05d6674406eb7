import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { KeyedSemaphore, Semaphore } from './semaphore.js';

describe('Semaphore', () => {
  it('never runs more than its permits, keeps the order of arrival, and survives failures', async () => {
    const semaphore = new Semaphore(2);
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const work = (i: number) =>
      semaphore.run(async () => {
        order.push(i);
        running += 1;
        most = Math.max(most, running);
        await sleep(2);
        running -= 1;
        if (i % 3 === 0) throw new Error(`no ${i}`);
        return i;
      });
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => work(i)));
    expect(most).toBe(2);
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(7);
    await expect(semaphore.run(async () => 'free again')).resolves.toBe('free again');
  });

  it('lends the permit of waiting work to others, and takes one back', async () => {
    const semaphore = new Semaphore(1);
    const order: string[] = [];
    let goOn = (): void => undefined;
    const waits = semaphore.run(async () => {
      order.push('waits');
      await semaphore.without(() => new Promise<void>((resolve) => (goOn = resolve)));
      order.push('continues');
    });
    await semaphore.run(async () => void order.push('other'));
    goOn();
    await waits;
    expect(order).toEqual(['waits', 'other', 'continues']);
    const failed = semaphore.run(() => semaphore.without(() => Promise.reject(new Error('no answer'))));
    await expect(failed).rejects.toThrow('no answer');
    await expect(semaphore.run(async () => 'free again')).resolves.toBe('free again');
  });

  it('leaves the queue when its signal aborts, and gives the permit to the next', async () => {
    const semaphore = new Semaphore(1);
    await semaphore.acquire();
    const aborted = new AbortController();
    const left = semaphore.acquire(aborted.signal);
    const next = semaphore.acquire();
    aborted.abort(new Error('the client has left'));
    await expect(left).rejects.toThrow('the client has left');
    semaphore.release();
    await next;
    semaphore.release();
    await expect(semaphore.acquire(aborted.signal)).rejects.toThrow('the client has left');
    await expect(semaphore.run(async () => 'free again')).resolves.toBe('free again');
  });
});

describe('KeyedSemaphore', () => {
  it('has permits of their own for each key, and forgets keys without work', async () => {
    const semaphore = new KeyedSemaphore(1);
    await Promise.all([semaphore.acquire('a'), semaphore.acquire('b')]);
    const aborted = new AbortController();
    const left = semaphore.acquire('a', aborted.signal);
    const next = semaphore.acquire('a');
    aborted.abort(new Error('the client has left'));
    await expect(left).rejects.toThrow('the client has left');
    semaphore.release('a');
    await next;
    expect(semaphore.size).toBe(2);
    semaphore.release('a');
    semaphore.release('b');
    expect(semaphore.size).toBe(0);
  });
});
