import { STATS_COUNTERS } from '#libs/contracts';
import type { Counted } from './counted.js';
import { noCounts, type Counts } from './minute-window.js';

/** The counts of the window [from, to). Shared by all subscribers, so it must not be changed. */
export interface LiveSnapshot {
  readonly from: Date;
  readonly to: Date;
  readonly counts: Readonly<Counts>;
}

/** At most ten values a second; the first one after a pause at once. */
const INTERVAL_MS = 100;

/** The sum of some domains, or the whole account, and its changes. */
export class LiveCounts {
  private readonly listeners = new Set<() => void>();
  private readonly leave: (() => void)[];
  private snapshot: LiveSnapshot | undefined;
  /** The snapshot of which the listeners know. */
  private published: LiveSnapshot | undefined;
  private publishedAt = -Infinity;
  private isStale = true;
  private timer: NodeJS.Timeout | undefined;
  /** By `performance.now()`; undefined while there are subscribers. */
  private idleSince: number | undefined = performance.now();

  constructor(
    private readonly counted: readonly Counted[],
    private readonly window: () => { from: Date; to: Date },
  ) {
    this.leave = counted.map((one) => one.onChange(() => this.changed()));
  }

  /** The present counts. The object is another one exactly if the counts are. */
  current(): LiveSnapshot {
    if (this.snapshot && !this.isStale) return this.snapshot;
    this.isStale = false;
    const counts = noCounts();
    for (const { window } of this.counted) window.addTo(counts);
    const known = this.snapshot?.counts;
    if (this.snapshot && known && STATS_COUNTERS.every((counter) => known[counter] === counts[counter]))
      return this.snapshot;
    this.snapshot = { ...this.window(), counts };
    return this.snapshot;
  }

  /** Calls back when `current` has other counts, at most ten times a second; returns the function that unsubscribes. */
  onChange(listener: () => void): () => void {
    // A function of its own, so that the same one may be given twice.
    const own = () => listener();
    this.listeners.add(own);
    this.idleSince = undefined;
    this.published ??= this.current();
    return () => {
      this.listeners.delete(own);
      if (this.listeners.size === 0) this.idleSince = performance.now();
    };
  }

  /** Whether it has had no subscribers for this long. */
  isIdle(ms: number): boolean {
    return this.idleSince !== undefined && performance.now() - this.idleSince >= ms;
  }

  close(): void {
    clearTimeout(this.timer);
    for (const leave of this.leave) leave();
  }

  private changed(): void {
    this.isStale = true;
    if (this.timer !== undefined || this.listeners.size === 0) return;
    const wait = Math.max(0, this.publishedAt + INTERVAL_MS - performance.now());
    this.timer = setTimeout(() => this.publish(), wait);
  }

  private publish(): void {
    this.timer = undefined;
    const snapshot = this.current();
    if (snapshot === this.published) return;
    this.published = snapshot;
    this.publishedAt = performance.now();
    for (const listener of this.listeners) listener();
  }
}
