import { describe, expect, it } from 'vitest';
import { LatestValue } from './latest-value.js';

describe('LatestValue', () => {
  it('gives a value to a reader that waits, and the newest to one that comes late', async () => {
    const stream = new LatestValue<number>(() => undefined);
    const waiting = stream.next();
    stream.offer(1);
    expect(await waiting).toEqual({ value: 1, done: false });
    for (let i = 2; i <= 1_000; i++) stream.offer(i);
    expect(await stream.next()).toEqual({ value: 1_000, done: false });
  });

  it('ends a reader that waits when it leaves, and says so once', async () => {
    let left = 0;
    const stream = new LatestValue<number>(() => (left += 1));
    const waiting = stream.next();
    await stream.return();
    await stream.return();
    stream.offer(1);
    expect(await waiting).toEqual({ value: undefined, done: true });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(left).toBe(1);
  });

  it('passes on what it is made to throw', async () => {
    const stream = new LatestValue<number>(() => undefined);
    await expect(stream.throw(new Error('gone'))).rejects.toThrow('gone');
    expect((await stream.next()).done).toBe(true);
  });
});
