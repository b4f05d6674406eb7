import { describe, expect, it } from 'vitest';
import { ConflatingStream } from './conflating-stream.js';

describe('ConflatingStream', () => {
  it('passes a value to a waiting reader, and the latest one to a late reader', async () => {
    const stream = new ConflatingStream<number>(() => undefined);
    const waiting = stream.next();
    stream.offer(1);
    expect(await waiting).toEqual({ value: 1, done: false });
    for (let i = 2; i <= 1_000; i++) stream.offer(i);
    expect(await stream.next()).toEqual({ value: 1_000, done: false });
  });

  it('ends a waiting reader on return, and calls back once', async () => {
    let left = 0;
    const stream = new ConflatingStream<number>(() => (left += 1));
    const waiting = stream.next();
    await stream.return();
    await stream.return();
    stream.offer(1);
    expect(await waiting).toEqual({ value: undefined, done: true });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
    expect(left).toBe(1);
  });

  it('rejects with the error passed to throw', async () => {
    const stream = new ConflatingStream<number>(() => undefined);
    await expect(stream.throw(new Error('gone'))).rejects.toThrow('gone');
    expect((await stream.next()).done).toBe(true);
  });
});
