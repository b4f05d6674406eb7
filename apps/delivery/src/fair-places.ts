import { PassingSet } from '#libs/kernel';

/** The right to one of the places; give it back. */
export interface Place {
  readonly queue: string;
  /** Of `performance.now()`. */
  readonly since: number;
}

interface Holder {
  /** In the order in which they were taken. */
  places: PassingSet<Place>;
  /** Until then a place that was given back soon speaks for the queue. */
  promptUntil: number;
}

/** How long a queue is believed to give its places back soon. */
const PROMPT_FOR_MS = 10_000;
const MAX_HOLDERS = 10_000;

/** A share that leaves something to everybody else: half of what is free. `k` holders at it leave 2/(k+2) of all free. */
export const isWithinShare = (held: number, free: number): boolean => held * 2 < free;

/** The part of all places that only queues get which give them back soon. */
const RESERVED = 1 / 4;

/**
 * A bounded number of places that many queues share, such that queues which keep their places (a host that never
 * answers) cannot eat all of them, however many such queues there are: each takes at most half of what is still free, and
 * all of them together leave a part of the whole. A queue that gives its places back soon may take any place that is free.
 */
export class FairPlaces {
  private readonly holders = new Map<string, Holder>();
  private readonly reserved: number;
  private taken = 0;

  /** `promptMs`: within that time a place is given back soon. */
  constructor(
    readonly size: number,
    private readonly promptMs: number,
  ) {
    this.reserved = Math.floor(size * RESERVED);
  }

  get held(): number {
    return this.taken;
  }

  get free(): number {
    return this.size - this.taken;
  }

  heldBy(queue: string): number {
    return this.holders.get(queue)?.places.size ?? 0;
  }

  mayTake(queue: string): boolean {
    if (this.free === 0) return false;
    return isWithinShare(this.heldBy(queue), this.free - this.reserved) || this.isPrompt(queue);
  }

  /** Null: not now. */
  take(queue: string): Place | null {
    if (!this.mayTake(queue)) return null;
    const place = { queue, since: performance.now() };
    let holder = this.holders.get(queue);
    if (holder === undefined) {
      if (this.holders.size >= MAX_HOLDERS) this.forgetIdle();
      holder = { places: new PassingSet(), promptUntil: -Infinity };
      this.holders.set(queue, holder);
    }
    holder.places.add(place);
    this.taken += 1;
    return place;
  }

  /** `wasUsed`: something came of it; else the time that it was kept says nothing of the queue. */
  give(place: Place, wasUsed = true): void {
    const holder = this.holders.get(place.queue);
    if (!holder?.places.delete(place)) return;
    this.taken -= 1;
    const now = performance.now();
    if (wasUsed && now - place.since < this.promptMs) holder.promptUntil = now + PROMPT_FOR_MS;
  }

  /** It gave places back soon lately, and keeps none for longer. */
  isPrompt(queue: string): boolean {
    const holder = this.holders.get(queue);
    if (holder === undefined) return false;
    const now = performance.now();
    if (holder.promptUntil < now) return false;
    const { eldest } = holder.places;
    return eldest === undefined || now - eldest.since < this.promptMs;
  }

  private forgetIdle(): void {
    for (const [queue, { places }] of this.holders) if (places.size === 0) this.holders.delete(queue);
  }
}
