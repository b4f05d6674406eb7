import type { FairPlaces, Place } from './fair-places.js';

/** How long a dialogue stands before MAIL with a connection that others could use. */
const PATIENCE_MS = 3_000;

interface Waiter {
  admit: (place: Place | null) => void;
  timer: NodeJS.Timeout;
}

/**
 * Between MAIL and settle a crash may send a mail twice: no more mails than there are places are in that stretch. A
 * dialogue that finds no place waits here for a moment; queues are let in one after another.
 */
export class RiskGate {
  private readonly waiting = new Map<string, Waiter[]>();
  private closed = false;

  constructor(private readonly places: FairPlaces) {}

  /** Null: not now; nothing was begun. */
  enter(queue: string): Place | Promise<Place | null> {
    if (this.closed) return Promise.resolve(null);
    const place = this.waiting.has(queue) ? null : this.places.take(queue);
    return place ?? this.wait(queue);
  }

  leave(place: Place): void {
    this.places.give(place);
    if (this.waiting.size > 0) this.admit();
  }

  /** Lets nobody in any more. */
  close(): void {
    this.closed = true;
    for (const waiters of this.waiting.values()) for (const waiter of waiters) settle(waiter, null);
    this.waiting.clear();
  }

  private wait(queue: string): Promise<Place | null> {
    return new Promise((resolve) => {
      const waiter: Waiter = { admit: resolve, timer: setTimeout(() => this.giveUp(queue, waiter), PATIENCE_MS) };
      const waiters = this.waiting.get(queue);
      if (waiters) waiters.push(waiter);
      else this.waiting.set(queue, [waiter]);
    });
  }

  private giveUp(queue: string, waiter: Waiter): void {
    const left = (this.waiting.get(queue) ?? []).filter((other) => other !== waiter);
    if (left.length > 0) this.waiting.set(queue, left);
    else this.waiting.delete(queue);
    waiter.admit(null);
  }

  /** As many as there are places for: one for each that leaves would keep the gate as narrow as it was at its narrowest. */
  private admit(): void {
    while (this.waiting.size > 0 && this.admitOneOfEach() > 0);
  }

  /** The queues in turn: who was let in goes to the end. Returns how many were let in. */
  private admitOneOfEach(): number {
    let admitted = 0;
    for (const [queue, waiters] of [...this.waiting]) {
      const place = this.places.take(queue);
      if (place === null) continue;
      const [first, ...others] = waiters;
      this.waiting.delete(queue);
      if (others.length > 0) this.waiting.set(queue, others);
      settle(first, place);
      admitted += 1;
      if (this.places.free === 0) return 0;
    }
    return admitted;
  }
}

function settle({ admit, timer }: Waiter, place: Place | null): void {
  clearTimeout(timer);
  admit(place);
}
