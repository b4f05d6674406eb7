import { setTimeout as pause } from 'node:timers/promises';
import { STATS_COUNTERS, type DomainStats } from '#libs/contracts';
import { LatestValue } from './latest-value.js';

/** What a feed asks of the house, with the domain already filled in. */
export interface DomainStatsSource {
  /** The counts of the last 24 hours, as of now. */
  read(): Promise<DomainStats>;
  /** The position of the newest event of the log. */
  head(): Promise<number>;
  /** The position of the first event of this domain above `position`, or null. */
  firstAfter(position: number): Promise<number | null>;
  /** Calls back when the log moved; returns what ends it. */
  onMove(callback: () => void): () => void;
  /** The feed could not read; told once per failure, not once per try. */
  onFailure(error: unknown): void;
}

export const FEED_TIMES = {
  /** At most four readings a second while events flow. */
  tickMs: 250,
  /** Moves of the log are only hints; without one it is looked at this often. */
  lookMs: 1_000,
  /** After the last event the statistics lag behind by the sink's batch: read on for a while, at this pace. */
  settleMs: 10_000,
  settleEveryMs: 500,
  /** The window slides: counts also fall without an event. */
  refreshMs: 30_000,
};

/**
 * The live statistics of one domain, shared by all who watch it: one reader of the log and of the store, however many
 * subscribers. Runs only while somebody watches.
 */
export class DomainStatsFeed {
  private readonly readers = new Map<LatestValue<DomainStats>, DomainStats | undefined>();
  private running = false;
  private moved = false;
  private failing = false;
  private position = 0;
  private lookedAt = 0;
  private touchedAt = -Infinity;
  private readAt = 0;

  constructor(
    private readonly source: DomainStatsSource,
    private readonly times: typeof FEED_TIMES = FEED_TIMES,
  ) {}

  get watched(): boolean {
    return this.readers.size > 0;
  }

  /** A new watcher, with a snapshot ready. @throws what the store throws when it cannot be read. */
  async open(): Promise<LatestValue<DomainStats>> {
    const reader: LatestValue<DomainStats> = new LatestValue(() => this.readers.delete(reader));
    this.readers.set(reader, undefined);
    try {
      await this.start();
      this.offer(reader, await this.source.read());
    } catch (error) {
      await reader.return();
      throw error;
    }
    return reader;
  }

  private async start(): Promise<void> {
    if (this.running) return;
    this.running = true;
    const stop = this.source.onMove(() => {
      this.moved = true;
    });
    try {
      this.position = await this.source.head();
    } catch (error) {
      this.running = false;
      stop();
      throw error;
    }
    this.readAt = Date.now();
    void this.run().finally(stop);
  }

  private async run(): Promise<void> {
    while (this.watched) {
      await pause(this.times.tickMs, undefined, { ref: false });
      try {
        await this.tick(Date.now());
        this.failing = false;
      } catch (error) {
        if (!this.failing) this.source.onFailure(error);
        this.failing = true;
        await pause(this.times.lookMs, undefined, { ref: false });
      }
    }
    this.running = false;
  }

  private async tick(now: number): Promise<void> {
    const touched = await this.look(now);
    const sinceRead = now - this.readAt;
    const settling = now - this.touchedAt < this.times.settleMs && sinceRead >= this.times.settleEveryMs;
    if (!touched && !settling && sinceRead < this.times.refreshMs) return;
    this.readAt = now;
    const stats = await this.source.read();
    for (const reader of this.readers.keys()) this.offer(reader, stats);
  }

  /** True when the log has an event of this domain that was not there at the last look. */
  private async look(now: number): Promise<boolean> {
    if (!this.moved && now - this.lookedAt < this.times.lookMs) return false;
    this.moved = false;
    this.lookedAt = now;
    const head = await this.source.head();
    if (head <= this.position) return false;
    const found = await this.source.firstAfter(this.position);
    this.position = Math.max(head, found ?? 0);
    if (found === null) return false;
    this.touchedAt = now;
    return true;
  }

  /** Only what differs from what this watcher has, and nothing that was read before it. */
  private offer(reader: LatestValue<DomainStats>, stats: DomainStats): void {
    const last = this.readers.get(reader);
    if (last && (stats.to < last.to || STATS_COUNTERS.every((counter) => stats[counter] === last[counter]))) return;
    if (!this.readers.has(reader)) return;
    this.readers.set(reader, stats);
    reader.offer(stats);
  }
}
