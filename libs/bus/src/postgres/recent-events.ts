import { Injectable } from '@nestjs/common';
import type { LoggedEvent } from '#libs/contracts';

/** Events that are kept: some seconds of a busy service. */
const CAPACITY = 10_000;

/**
 * The newest events of the log that a consumer of this process has just read, in memory for its other consumers. Without
 * gaps, and never stale because positions are final.
 */
@Injectable()
export class RecentEvents {
  private readers = 0;
  private events: LoggedEvent[] = [];

  /** Call once per consumer. */
  addReader(): void {
    this.readers += 1;
  }

  /** A consumer has read these events. They are kept only if there are other consumers. */
  addRead(events: readonly LoggedEvent[]): void {
    if (this.readers > 1) this.append(events);
  }

  /** Up to `limit` events from this position on; empty if the first of them is not in memory. */
  from(position: number, limit: number): LoggedEvent[] {
    const first = this.events[0]?.position ?? Infinity;
    return position < first ? [] : this.events.slice(position - first, position - first + limit);
  }

  private append(events: readonly LoggedEvent[]): void {
    const next = (this.events.at(-1)?.position ?? 0) + 1;
    if (events[0].position > next) this.events = [];
    const fresh = this.events.length === 0 ? events : events.slice(next - events[0].position);
    this.events.push(...fresh);
    if (this.events.length > 2 * CAPACITY) this.events = this.events.slice(-CAPACITY);
  }
}
