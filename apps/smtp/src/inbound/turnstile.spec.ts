import { describe, expect, it } from 'vitest';
import { Turnstile } from './turnstile.js';

describe('Turnstile', () => {
  it('lets so many through at once, in order, whatever becomes of each', async () => {
    const turnstile = new Turnstile(2, 1_000);
    const begun: number[] = [];
    const ends: ((error?: Error) => void)[] = [];
    const all = [0, 1, 2, 3].map((id) =>
      turnstile
        .through(() => {
          begun.push(id);
          return new Promise<number>((resolve, reject) => {
            ends[id] = (error) => (error ? reject(error) : resolve(id));
          });
        })
        .catch((error: Error) => error.message),
    );
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    await settled();
    expect(begun).toEqual([0, 1]);
    ends[1](new Error('broken'));
    await settled();
    expect(begun).toEqual([0, 1, 2]);
    ends[0]();
    await settled();
    expect(begun).toEqual([0, 1, 2, 3]);
    ends[2]();
    ends[3]();
    expect(await Promise.all(all)).toEqual([0, 'broken', 2, 3]);
  });

  it('lets so many through in a second, after a second’s worth at once', async () => {
    const turnstile = new Turnstile(100, 2);
    const begun: number[] = [];
    const began = performance.now();
    const all = Array.from({ length: 4 }, (_, id) =>
      turnstile.through(() => {
        begun.push(id);
        return Promise.resolve(performance.now() - began);
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual([0, 1, 2]);
    expect((await Promise.all(all))[3]).toBeGreaterThanOrEqual(490);
    expect(begun).toEqual([0, 1, 2, 3]);
  });
});
