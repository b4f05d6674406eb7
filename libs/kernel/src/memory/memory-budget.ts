/** Bytes of each reservation that are always granted: ordinary messages never wait for large ones. */
const FREE_BYTES = 64 * 1024;

/** A stream that is not read while it is paused, which slows its sender down by TCP flow control. */
export interface PausableSource {
  pause(): unknown;
  resume(): unknown;
}

export interface MemoryLimits {
  /** Of all reservations together. */
  bytes: number;
  /** Of all reservations with the same share, such as an account or a client network. No limit without it. */
  shareBytes?: number;
  /** A source that has been paused for so long is refused. */
  waitMs: number;
}

/** The limit for which a source was refused: that of all sources, or that of one of its shares. */
type MemoryShortage = 'overall' | 'share';

/** The memory of one source, as `MemoryBudget.open` returns it. */
export interface MemoryReservation {
  readonly source: PausableSource;
  readonly shares: readonly Share[];
  bytes: number;
  /** Set while the source is paused. */
  timer: NodeJS.Timeout | undefined;
  /** It has waited too long. */
  refused: MemoryShortage | null;
  released: boolean;
}

interface Share {
  name: string;
  used: number;
  /** Reservations that have not been released. */
  open: number;
  /** Sources that are being received, oldest first. */
  readonly receiving: Set<MemoryReservation>;
}

/**
 * Bounds the memory of messages and request bodies between their first byte and the end of their processing. A source
 * without memory is paused; after a time it is refused. The oldest source that is being received, overall and within its
 * shares, is never paused, so that sources cannot all wait for each other.
 */
export class MemoryBudget {
  private used = 0;
  private readonly shares = new Map<string, Share>();
  /** Sources that are being received, oldest first. */
  private readonly receiving = new Set<MemoryReservation>();

  constructor(private readonly limits: MemoryLimits) {}

  get usedBytes(): number {
    return this.used;
  }

  /** Begins the reservation of a source; it ends with `release`. */
  open(source: PausableSource, shares: readonly string[] = []): MemoryReservation {
    const reservation: MemoryReservation = {
      source,
      shares: shares.map((name) => this.share(name)),
      bytes: 0,
      timer: undefined,
      refused: null,
      released: false,
    };
    this.receiving.add(reservation);
    for (const share of reservation.shares) {
      share.open += 1;
      share.receiving.add(reservation);
    }
    return reservation;
  }

  /** Counts bytes that the source has produced, and pauses it if there is no memory for more. Not null: refuse the source. */
  take(reservation: MemoryReservation, bytes: number): MemoryShortage | null {
    if (reservation.released || reservation.refused !== null) return reservation.refused;
    this.add(reservation, bytes);
    if (this.shortage(reservation) === null) return null;
    reservation.source.pause();
    reservation.timer ??= setTimeout(() => {
      reservation.refused = this.shortage(reservation);
      resume(reservation);
    }, this.limits.waitMs);
    return null;
  }

  /** All bytes have arrived. They count until `release`, while they are being processed. */
  complete(reservation: MemoryReservation): void {
    this.receiving.delete(reservation);
    for (const share of reservation.shares) share.receiving.delete(reservation);
    this.resumeOthers();
  }

  /** The message was processed or refused, or its connection was cut. Repeated calls do nothing. */
  release(reservation: MemoryReservation): void {
    if (reservation.released) return;
    clearTimeout(reservation.timer);
    reservation.released = true;
    this.add(reservation, -reservation.bytes);
    for (const share of reservation.shares) {
      share.open -= 1;
      if (share.open === 0) this.shares.delete(share.name);
    }
    this.complete(reservation);
  }

  private share(name: string): Share {
    const share = this.shares.get(name) ?? { name, used: 0, open: 0, receiving: new Set() };
    this.shares.set(name, share);
    return share;
  }

  private add(reservation: MemoryReservation, bytes: number): void {
    reservation.bytes += bytes;
    this.used += bytes;
    for (const share of reservation.shares) share.used += bytes;
  }

  private resumeOthers(): void {
    for (const other of this.receiving) if (other.timer && this.shortage(other) === null) resume(other);
  }

  private shortage(reservation: MemoryReservation): MemoryShortage | null {
    const { bytes, shareBytes = Infinity } = this.limits;
    if (reservation.bytes < FREE_BYTES) return null;
    if (this.used >= bytes && !isOldest(reservation, this.receiving)) return 'overall';
    const isShort = (share: Share) => share.used >= shareBytes && !isOldest(reservation, share.receiving);
    return reservation.shares.some(isShort) ? 'share' : null;
  }
}

function isOldest(reservation: MemoryReservation, receiving: ReadonlySet<MemoryReservation>): boolean {
  const [oldest] = receiving;
  return oldest === reservation;
}

function resume(reservation: MemoryReservation): void {
  clearTimeout(reservation.timer);
  reservation.timer = undefined;
  reservation.source.resume();
}
