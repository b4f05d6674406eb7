import { Injectable } from '@nestjs/common';
import type { LoggedEvent } from '#libs/contracts';
import { freshEvents } from '#libs/persistence';

/** Events that stay at hand: some seconds of a busy service. */
const KEPT = 10_000;

/**
 * The end of the log as this process knows it without asking: what its own parts have written and its own sequencer has
 * given a place, or else what one of its consumers has just read for the others. A run without a gap; positions are
 * final, so it never becomes wrong.
 */
@Injectable()
export class RecentEvents {
  private readers = 0;
  private events: LoggedEvent[] = [];

  /** One more consumer. */
  join(): void {
    this.readers += 1;
    freshEvents.want();
  }

  /** False: nobody here reads the log. */
  get isWanted(): boolean {
    return this.readers > 0;
  }

  /** The events of these ids have got their places in the log, from `first` on. */
  logged(first: number, ids: readonly string[]): void {
    const fresh = freshEvents.take(ids);
    if (fresh === null) return;
    this.append(
      fresh.map(({ event, key, sequence, domainId, test }, i) => ({
        event,
        key,
        sequence,
        domainId,
        test,
        position: first + i,
      })),
    );
  }

  /** One consumer has read these. With a single one nothing is kept. */
  remember(events: readonly LoggedEvent[]): void {
    if (this.readers > 1) this.append(events);
  }

  /** Up to `limit` events from this position on; none when the first of them is not at hand. */
  from(position: number, limit: number): LoggedEvent[] {
    const first = this.events[0]?.position ?? Infinity;
    return position < first ? [] : this.events.slice(position - first, position - first + limit);
  }

  private append(events: readonly LoggedEvent[]): void {
    const next = (this.events.at(-1)?.position ?? 0) + 1;
    if (events[0].position > next) this.events = [];
    const fresh = this.events.length === 0 ? events : events.slice(next - events[0].position);
    this.events.push(...fresh);
    if (this.events.length > 2 * KEPT) this.events = this.events.slice(-KEPT);
  }
}
