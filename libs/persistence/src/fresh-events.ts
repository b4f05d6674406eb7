import type { RoutedEvent } from '#libs/contracts';

/** Events that wait for their place in the log: some seconds of a busy service. */
const KEPT = 20_000;

/**
 * Events that this process has given to the outbox, by id, until the log has a place for them: who moves the outbox and
 * reads the log in the same process need not ask the database for what it had in hand a moment ago. Nothing follows from
 * an event that is here: whether it exists, only the log says. One for all parts of the process, since ids are unique.
 */
export class FreshEvents {
  private readonly events = new Map<string, RoutedEvent>();
  private wanted = false;

  /** From now on events are kept; before, nobody would take them. */
  want(): void {
    this.wanted = true;
  }

  add(events: readonly RoutedEvent[]): void {
    if (!this.wanted) return;
    for (const routed of events) this.events.set(routed.event.id, routed);
    if (this.events.size > KEPT) this.forgetOldest();
  }

  /** These events, in this order, which are not kept any longer; null when one of them did not come from this process. */
  take(ids: readonly string[]): RoutedEvent[] | null {
    const taken: RoutedEvent[] = [];
    for (const id of ids) {
      const routed = this.events.get(id);
      if (!routed) continue;
      this.events.delete(id);
      taken.push(routed);
    }
    return taken.length === ids.length ? taken : null;
  }

  /** What was rolled back is never taken. */
  private forgetOldest(): void {
    for (const id of this.events.keys()) {
      if (this.events.size <= KEPT) return;
      this.events.delete(id);
    }
  }
}

export const freshEvents = new FreshEvents();
