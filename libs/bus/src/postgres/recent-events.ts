import type { LoggedEvent } from '#libs/contracts';

/** Events that stay at hand: some seconds of a busy service. */
const KEPT = 5_000;

/**
 * The end of the log as one consumer of this process has just read it, for the others: under load one reads from the
 * database and parses, and nobody else. A run without a gap; positions are final, so it never becomes wrong.
 */
export class RecentEvents {
  private readers = 0;
  private events: LoggedEvent[] = [];

  /** One more consumer; with a single one nothing is kept. */
  join(): void {
    this.readers += 1;
  }

  remember(events: readonly LoggedEvent[]): void {
    if (this.readers < 2) return;
    const next = (this.events.at(-1)?.position ?? 0) + 1;
    if (events[0].position > next) this.events = [];
    const fresh = this.events.length === 0 ? events : events.slice(next - events[0].position);
    this.events.push(...fresh);
    if (this.events.length > 2 * KEPT) this.events = this.events.slice(-KEPT);
  }

  /** Up to `limit` events from this position on; none when the first of them is not at hand. */
  from(position: number, limit: number): LoggedEvent[] {
    const first = this.events[0]?.position ?? Infinity;
    return position < first ? [] : this.events.slice(position - first, position - first + limit);
  }
}
