import { describe, expect, it } from 'vitest';
import { PartitionChains } from './partition-chains.js';
import { COMPLETE, LOG_SOURCE, markerEntries, storedUpTo } from './progress.js';

/** Positions recorded by the store, and the chains of one process that writes to it. */
class Sink {
  readonly stored = new Map<string, number>();
  private chains = new PartitionChains();

  /** Records of a partition of three, of which the last one is a marker. */
  take(partition: number, [first, last]: [number, number], completeTo: number): number {
    this.chains.add(`topic/${partition}`, { first, last, completeTo, sources: 3 });
    return this.flush();
  }

  compareUpTo(position: number): number {
    this.stored.set(COMPLETE, position);
    return this.flush();
  }

  restart(): void {
    this.chains = new PartitionChains();
  }

  private flush(): number {
    const entries = this.chains.news(this.stored);
    for (const [source, position] of entries) this.stored.set(source, position);
    this.chains.stored(entries);
    return storedUpTo(this.stored);
  }
}

describe('the position up to which every event is stored', () => {
  it('is the lowest marker of all partitions, those without events included', () => {
    const sink = new Sink();
    sink.compareUpTo(10);
    for (const partition of [0, 1, 2]) sink.take(partition, [0, 5], 10);
    expect(sink.take(0, [6, 20], 50)).toBe(10);
    expect(sink.take(1, [6, 7], 60)).toBe(10);
    // The third partition has had nothing but markers.
    expect(sink.take(2, [6, 6], 40)).toBe(40);
    expect(sink.take(2, [7, 7], 60)).toBe(50);
  });

  it('waits for partitions that no process has read', () => {
    const sink = new Sink();
    sink.compareUpTo(10);
    sink.take(0, [0, 5], 10);
    sink.take(0, [6, 9], 50);
    expect(sink.take(1, [0, 9], 10)).toBe(10);
    expect(sink.compareUpTo(30)).toBe(30);
  });

  it('does not pass a gap in the offsets before the comparison with the log has done so', () => {
    const sink = new Sink();
    sink.compareUpTo(10);
    for (const partition of [0, 1, 2]) sink.take(partition, [0, 5], 10);
    for (const partition of [0, 1]) sink.take(partition, [6, 9], 90);
    // Of a topic that was created again: events of the old one after position 10 may be lost.
    expect(sink.take(2, [0, 3], 70)).toBe(10);
    expect(sink.take(2, [4, 5], 80)).toBe(10);
    expect(sink.compareUpTo(69)).toBe(69);
    expect(sink.compareUpTo(70)).toBe(80);
    expect(sink.take(2, [6, 7], 95)).toBe(90);
  });

  it('goes on in a new process from a marker that is stored already', () => {
    const sink = new Sink();
    sink.compareUpTo(10);
    for (const partition of [0, 1, 2]) sink.take(partition, [0, 5], 10);
    sink.restart();
    for (const partition of [0, 1]) sink.take(partition, [5, 5], 10);
    for (const partition of [0, 1]) sink.take(partition, [6, 9], 40);
    expect(sink.take(2, [6, 9], 40)).toBe(10);
    // The killed process may have read offset 6 to 9 without storing them: nobody knows before the comparison.
    expect(sink.take(2, [10, 11], 50)).toBe(10);
    expect(sink.compareUpTo(40)).toBe(40);
  });

  it('does not trust markers after the store was put back', () => {
    const sink = new Sink();
    sink.compareUpTo(10);
    for (const partition of [0, 1, 2]) sink.take(partition, [0, 5], 10);
    const backup = new Map(sink.stored);
    for (const partition of [0, 1, 2]) sink.take(partition, [6, 8], 30);
    expect(storedUpTo(sink.stored)).toBe(30);
    sink.stored.clear();
    for (const [source, position] of backup) sink.stored.set(source, position);
    for (const partition of [0, 1, 2]) sink.take(partition, [9, 9], 50);
    expect(storedUpTo(sink.stored)).toBe(10);
    expect(sink.compareUpTo(30)).toBe(50);
  });

  it('is that of the PostgreSQL log or of another topic if that is higher', () => {
    const entries = (topic: string, to: number) =>
      [0, 1].flatMap((n) => markerEntries(`${topic}/${n}`, { to, partitions: 2 }));
    const positions = new Map([...entries('old', 40), ...entries('new', 30), [LOG_SOURCE, 20] as const]);
    expect(storedUpTo(positions)).toBe(40);
    expect(storedUpTo(positions.set(LOG_SOURCE, 60))).toBe(60);
    expect(storedUpTo(new Map())).toBe(0);
  });
});
