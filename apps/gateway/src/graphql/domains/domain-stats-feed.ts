import { setTimeout as pause } from 'node:timers/promises';
import { STATS_COUNTERS, type DomainStats } from '#libs/contracts';
import { ConflatingStream } from '../conflating-stream.js';

/** The event log and the statistics store, restricted to one domain. */
export interface DomainStatsSource {
  /** The counts of the last 24 hours. */
  read(): Promise<DomainStats>;
  /** The position of the newest event of the log. */
  head(): Promise<number>;
  /** The position of the first event of this domain above `position`, or null. */
  firstAfter(position: number): Promise<number | null>;
  /** Calls back when events were appended to the log; returns a function that unsubscribes. */
  onAppend(callback: () => void): () => void;
  /** Called for the first of several failed reads in a row. */
  onFailure(error: unknown): void;
}

export const FEED_TIMES = {
  /** At most four reads per second while events arrive. */
  tickMs: 250,
  /** Interval of looking for events without a notification; notifications may be lost. */
  pollMs: 1_000,
  /** The store lags behind the log by one batch of the sink, so reading continues this long after the last event. */
  settleMs: 10_000,
  settleIntervalMs: 500,
  /** The window moves, so counts also decrease without events. */
  refreshMs: 30_000,
};

/** The live statistics of one domain: one reader of the log and of the store for all subscribers. Runs only while there are any. */
export class DomainStatsFeed {
  private readonly subscribers = new Map<ConflatingStream<DomainStats>, DomainStats | undefined>();
  private running = false;
  private appended = false;
  private failing = false;
  private position = 0;
  private polledAt = -Infinity;
  private lastEventAt = -Infinity;
  private readAt = -Infinity;

  constructor(
    private readonly source: DomainStatsSource,
    private readonly times: typeof FEED_TIMES = FEED_TIMES,
  ) {}

  get active(): boolean {
    return this.subscribers.size > 0;
  }

  /** Adds a subscriber, which receives a snapshot first. @throws the error of the store when it cannot be read. */
  async open(): Promise<ConflatingStream<DomainStats>> {
    const subscriber: ConflatingStream<DomainStats> = new ConflatingStream(() => this.subscribers.delete(subscriber));
    this.subscribers.set(subscriber, undefined);
    try {
      await this.start();
      this.offer(subscriber, await this.source.read());
    } catch (error) {
      await subscriber.return();
      throw error;
    }
    return subscriber;
  }

  private async start(): Promise<void> {
    if (this.running) return;
    this.running = true;
    const stop = this.source.onAppend(() => {
      this.appended = true;
    });
    try {
      this.position = await this.source.head();
    } catch (error) {
      this.running = false;
      stop();
      throw error;
    }
    this.readAt = performance.now();
    void this.run().finally(stop);
  }

  private async run(): Promise<void> {
    while (this.active) {
      await pause(this.times.tickMs, undefined, { ref: false });
      try {
        await this.tick(performance.now());
        this.failing = false;
      } catch (error) {
        if (!this.failing) this.source.onFailure(error);
        this.failing = true;
        await pause(this.times.pollMs, undefined, { ref: false });
      }
    }
    this.running = false;
  }

  private async tick(now: number): Promise<void> {
    const hasNewEvents = await this.findNewEvents(now);
    const sinceRead = now - this.readAt;
    const settling = now - this.lastEventAt < this.times.settleMs && sinceRead >= this.times.settleIntervalMs;
    if (!hasNewEvents && !settling && sinceRead < this.times.refreshMs) return;
    this.readAt = now;
    const stats = await this.source.read();
    for (const subscriber of this.subscribers.keys()) this.offer(subscriber, stats);
  }

  /** Whether the log has events of this domain that the last call did not see. */
  private async findNewEvents(now: number): Promise<boolean> {
    if (!this.appended && now - this.polledAt < this.times.pollMs) return false;
    this.appended = false;
    this.polledAt = now;
    const head = await this.source.head();
    if (head <= this.position) return false;
    const found = await this.source.firstAfter(this.position);
    this.position = Math.max(head, found ?? 0);
    if (found === null) return false;
    this.lastEventAt = now;
    return true;
  }

  /** Sends the counts if they differ from those that the subscriber has, unless they are older. */
  private offer(subscriber: ConflatingStream<DomainStats>, stats: DomainStats): void {
    const last = this.subscribers.get(subscriber);
    if (last && (stats.to < last.to || STATS_COUNTERS.every((counter) => stats[counter] === last[counter]))) return;
    if (!this.subscribers.has(subscriber)) return;
    this.subscribers.set(subscriber, stats);
    subscriber.offer(stats);
  }
}
