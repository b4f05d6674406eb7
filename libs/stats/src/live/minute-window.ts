import { STATS_COUNTERS, type StatsCounter } from '#libs/contracts';

export const MINUTE_MS = 60_000;
const MINUTES_PER_HOUR = 60;
const COUNTERS = STATS_COUNTERS.length;
const INDEX = new Map<string, number>(STATS_COUNTERS.map((counter, i) => [counter, i]));

export type Counts = Record<StatsCounter, number>;

/**
 * Counts per minute of a sliding window, and their sum. Memory is allocated by hour, so that a domain with little mail takes
 * little. Minutes are numbered since 1970.
 */
export class MinuteWindow {
  private readonly hours = new Map<number, Uint32Array>();
  private readonly sums = new Float64Array(COUNTERS);

  constructor(private first: number) {}

  /** Ignores minutes before the window. True if the sums changed. */
  add(minute: number, counter: StatsCounter, count = 1): boolean {
    if (minute < this.first || count === 0) return false;
    const hour = Math.floor(minute / MINUTES_PER_HOUR);
    let counts = this.hours.get(hour);
    if (counts === undefined) {
      counts = new Uint32Array(MINUTES_PER_HOUR * COUNTERS);
      this.hours.set(hour, counts);
    }
    const index = INDEX.get(counter) as number;
    counts[(minute % MINUTES_PER_HOUR) * COUNTERS + index] += count;
    this.sums[index] += count;
    return true;
  }

  /**
   * The window begins with this minute from now on. True if the sums changed. Minutes that were before an earlier beginning have
   * no counts, and count again from now on if the clock was set back.
   */
  slideTo(first: number): boolean {
    let isChanged = false;
    for (const [hour, counts] of this.hours) {
      const start = hour * MINUTES_PER_HOUR;
      if (start >= first) continue;
      const end = Math.min(first - start, MINUTES_PER_HOUR);
      for (let i = 0; i < end * COUNTERS; i++) {
        if (counts[i] === 0) continue;
        this.sums[i % COUNTERS] -= counts[i];
        counts[i] = 0;
        isChanged = true;
      }
      if (end === MINUTES_PER_HOUR) this.hours.delete(hour);
    }
    this.first = first;
    return isChanged;
  }

  /** Adds the sums to `counts`. */
  addTo(counts: Counts): void {
    STATS_COUNTERS.forEach((counter, i) => (counts[counter] += this.sums[i]));
  }
}

export const noCounts = (): Counts => Object.fromEntries(STATS_COUNTERS.map((counter) => [counter, 0])) as Counts;
