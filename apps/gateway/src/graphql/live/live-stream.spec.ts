import { describe, expect, it } from 'vitest';
import { LatestStream } from './live-stream.js';

function source() {
  const listeners = new Set<() => void>();
  const state = { value: { n: 0 } };
  return {
    listeners,
    set: (n: number) => {
      state.value = { n };
      for (const listener of listeners) listener();
    },
    stream: () =>
      new LatestStream(
        () => state.value,
        (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      ),
  };
}

describe('LatestStream', () => {
  it('gives the present value, then each one that the reader has not seen, and only the latest to a slow reader', () => {
    const { stream, set } = source();
    const one = stream();
    expect(one.take()).toEqual({ n: 0 });
    expect(one.take()).toBeUndefined();
    for (let n = 1; n <= 1_000; n++) set(n);
    expect(one.take()).toEqual({ n: 1_000 });
    expect(one.take()).toBeUndefined();
  });

  it('calls back once there is something to take, and not after it was closed', () => {
    const { stream, set, listeners } = source();
    const one = stream();
    let calls = 0;
    one.onReady(() => (calls += 1));
    set(1);
    one.close();
    one.close();
    set(2);
    expect(calls).toBe(1);
    expect(listeners.size).toBe(0);
  });

  it('can be iterated, and leaves its source with the end of the loop', async () => {
    const { stream, set, listeners } = source();
    const seen: number[] = [];
    for await (const { n } of stream()) {
      seen.push(n);
      if (n === 2) break;
      setTimeout(() => set(n + 1), 1);
    }
    expect(seen).toEqual([0, 1, 2]);
    expect(listeners.size).toBe(0);
  });
});
