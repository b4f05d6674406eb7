import type { StatsCounter } from '#libs/contracts';

/** An event of the log that counts in statistics. */
export interface CountedEvent {
  position: number;
  accountId: string;
  domainId: string;
  /** Since 1970. */
  minute: number;
  counter: StatsCounter;
}

/** A part of the log without gaps: the counted events with positions above `from`, up to `to`. */
export class RecentCounts {
  private events: CountedEvent[] = [];

  constructor(
    private start: number,
    private readonly capacity: number,
  ) {
    this.end = start;
  }

  private end: number;

  get from(): number {
    return this.start;
  }

  get to(): number {
    return this.end;
  }

  /** The counted events of the positions from `to` (exclusive) up to `upTo`. */
  append(events: readonly CountedEvent[], upTo: number): void {
    for (const event of events) this.events.push(event);
    this.end = upTo;
    if (this.events.length <= 2 * this.capacity) return;
    const kept = this.events.slice(-this.capacity);
    this.start = kept[0].position - 1;
    this.events = kept;
  }

  /** The counted events of the positions above `from`, up to the present start. */
  prepend(events: readonly CountedEvent[], from: number): void {
    this.events = [...events, ...this.events];
    this.start = from;
  }

  above(position: number): CountedEvent[] {
    let low = 0;
    for (let high = this.events.length; low < high;) {
      const middle = (low + high) >> 1;
      if (this.events[middle].position > position) high = middle;
      else low = middle + 1;
    }
    return this.events.slice(low);
  }
}
