import { Log } from '#libs/kernel';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RequestLogQueue } from './write-queue.js';

class Lines extends Log {
  readonly warnings: object[] = [];
  override warn(_event: string, fields: object = {}): void {
    this.warnings.push(fields);
  }
}

/** A store that can be away. */
class Store {
  readonly batches: string[][] = [];
  tries = 0;
  failure: Error | undefined;
  readonly write = (lines: string[]): Promise<void> => {
    this.tries += 1;
    if (this.failure) return Promise.reject(this.failure);
    this.batches.push(lines);
    return Promise.resolve();
  };
  get written(): string[] {
    return this.batches.flat();
  }
}

const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i));

describe('RequestLogQueue', () => {
  let log: Lines;
  let store: Store;
  let queue: RequestLogQueue;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    log = new Lines(undefined as never);
    store = new Store();
    queue = new RequestLogQueue(store.write, log);
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const add = (lines: string[]) => {
    for (const line of lines) queue.add(line);
  };

  it('collects lines for half a second and writes them in order, in bounded batches', async () => {
    add(numbers(0, 1_200));
    await vi.advanceTimersByTimeAsync(499);
    expect(store.tries).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(store.batches.map((batch) => batch.length)).toEqual([500, 500]);
    await vi.advanceTimersByTimeAsync(500);
    expect(store.written).toEqual(numbers(0, 1_200));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps 10,000 lines while the database is unavailable, drops later ones, and logs it once a minute', async () => {
    store.failure = away();
    add(numbers(0, 12_000));
    expect(log.warnings).toEqual([{ lines: 1, reason: 'the queue is full' }]);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(store.tries).toBeLessThan(15);
    add(numbers(12_000, 13_000));
    expect(log.warnings).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    add(['13000']);
    expect(log.warnings).toEqual([
      { lines: 1, reason: 'the queue is full' },
      { lines: 3_000, reason: 'the queue is full' },
    ]);
    store.failure = undefined;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(store.written).toEqual(numbers(0, 10_000));
  });

  it('does not repeat a rejected batch', async () => {
    store.failure = Object.assign(new Error('value too long'), { code: '22001' });
    add(numbers(0, 3));
    await vi.advanceTimersByTimeAsync(500);
    expect(log.warnings).toEqual([{ lines: 3, reason: 'value too long' }]);
    store.failure = undefined;
    add(numbers(3, 5));
    await vi.advanceTimersByTimeAsync(500);
    expect(store.written).toEqual(numbers(3, 5));
  });

  it('writes all lines at the stop, after the batch in progress', async () => {
    add(numbers(0, 700));
    await vi.advanceTimersByTimeAsync(500);
    add(numbers(700, 720));
    await queue.flush();
    expect(store.written).toEqual(numbers(0, 720));
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives up at the stop if the database is unavailable', async () => {
    store.failure = away();
    add(numbers(0, 2_000));
    await queue.flush();
    expect(store.tries).toBe(1);
    expect(log.warnings).toEqual([{ lines: 2_000, reason: 'the process stopped' }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
