import { describe, expect, it } from 'vitest';
import { PacedSemaphore } from './paced-semaphore.js';

describe('PacedSemaphore', () => {
  it('runs a limited number of tasks at once, in order, whether they succeed or fail', async () => {
    const semaphore = new PacedSemaphore(2, 1_000);
    const started: number[] = [];
    const ends: ((error?: Error) => void)[] = [];
    const all = [0, 1, 2, 3].map((id) =>
      semaphore
        .run(() => {
          started.push(id);
          return new Promise<number>((resolve, reject) => {
            ends[id] = (error) => (error ? reject(error) : resolve(id));
          });
        })
        .catch((error: Error) => error.message),
    );
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    await settled();
    expect(started).toEqual([0, 1]);
    ends[1](new Error('broken'));
    await settled();
    expect(started).toEqual([0, 1, 2]);
    ends[0]();
    await settled();
    expect(started).toEqual([0, 1, 2, 3]);
    ends[2]();
    ends[3]();
    expect(await Promise.all(all)).toEqual([0, 'broken', 2, 3]);
  });

  it('begins a limited number of tasks per second, after those of one second at once', async () => {
    const semaphore = new PacedSemaphore(100, 2);
    const started: number[] = [];
    const startedAt = performance.now();
    const all = Array.from({ length: 4 }, (_, id) =>
      semaphore.run(() => {
        started.push(id);
        return Promise.resolve(performance.now() - startedAt);
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toEqual([0, 1, 2]);
    expect((await Promise.all(all))[3]).toBeGreaterThanOrEqual(490);
    expect(started).toEqual([0, 1, 2, 3]);
  });
});
