/** One permit; to be released. */
export interface Permit {
  readonly queue: string;
  /** Of `performance.now()`. */
  readonly since: number;
}

interface Holder {
  /** In the order of acquisition. */
  places: Set<Permit>;
  /** Until this time the queue counts as fast, because it released a permit quickly. */
  promptUntil: number;
}

/** How long a queue counts as fast after a quick release. */
const PROMPT_FOR_MS = 10_000;
const MAX_HOLDERS = 10_000;

/**
 * A share that leaves permits to others: half of the free ones. `k` holders at this limit leave 2/(k+2) of all permits.
 */
export const isWithinShare = (held: number, free: number): boolean => held * 2 < free;

/** The part of all permits that only fast queues may use. */
const RESERVED = 1 / 4;

/**
 * A semaphore shared by many queues. Queues that hold permits for long (an unresponsive host) cannot use up all of
 * them, however many such queues there are: each takes at most half of the free permits, and together they leave a
 * reserve. A queue that releases permits quickly may take any free permit. See docs/decisions/009-fair-claims.md.
 */
export class FairSemaphore {
  private readonly holders = new Map<string, Holder>();
  private readonly reserved: number;
  private taken = 0;

  /** A release within `promptMs` counts as quick. */
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

  canAcquire(queue: string): boolean {
    if (this.free === 0) return false;
    return isWithinShare(this.heldBy(queue), this.free - this.reserved) || this.isFast(queue);
  }

  /** Null: not available now. */
  acquire(queue: string): Permit | null {
    if (!this.canAcquire(queue)) return null;
    const place = { queue, since: performance.now() };
    let holder = this.holders.get(queue);
    if (holder === undefined) {
      if (this.holders.size >= MAX_HOLDERS) this.forgetIdle();
      holder = { places: new Set(), promptUntil: -Infinity };
      this.holders.set(queue, holder);
    }
    holder.places.add(place);
    this.taken += 1;
    return place;
  }

  /** `wasUsed`: false where nothing was sent, so that the time says nothing about the queue. */
  release(place: Permit, wasUsed = true): void {
    const holder = this.holders.get(place.queue);
    if (!holder?.places.delete(place)) return;
    this.taken -= 1;
    const now = performance.now();
    if (wasUsed && now - place.since < this.promptMs) holder.promptUntil = now + PROMPT_FOR_MS;
  }

  /** True if the queue released permits quickly of late, and holds none for longer. */
  isFast(queue: string): boolean {
    const holder = this.holders.get(queue);
    if (holder === undefined) return false;
    const now = performance.now();
    if (holder.promptUntil < now) return false;
    const oldest = holder.places.values().next().value;
    return oldest === undefined || now - oldest.since < this.promptMs;
  }

  private forgetIdle(): void {
    for (const [queue, { places }] of this.holders) if (places.size === 0) this.holders.delete(queue);
  }
}
