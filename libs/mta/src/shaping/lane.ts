import type { SourceAddress } from '../source-address.js';
import { factorOf } from './restraint.js';
import type { SlowDown, Suspension } from './restraint.js';
import type { Pace } from './shaping-plan.js';
import { TokenBucket } from './token-bucket.js';
import type { WarmUp } from './warm-up.js';

/** Jobs at once to a queue that we know nothing of yet. */
const FIRST_WINDOW = 5;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export interface LaneSettings {
  queue: string;
  source: SourceAddress | null;
  pace: Pace;
  /** Jobs at once when all is well. */
  cap: number;
  /** Whether it feels its way up to the cap. */
  slowStart: boolean;
  /** Whether the delivery processes share its limits. */
  divided: boolean;
  warmUp: WarmUp | null;
}

/**
 * One queue from one of our addresses: what is on its way and what may follow. Invariant: `inFlight` never grows beyond
 * the cap. The window is as TCP's: one more with each success, halved by trouble, once per generation of jobs, since
 * twenty connections that break together are one event.
 */
export class Lane {
  inFlight = 0;
  suspension: Suspension | null = null;
  slowDown: SlowDown | null = null;
  /** When the latest of each was decided, also of one that is over: what is older is old news. */
  readonly decidedAt = { suspension: 0, slowDown: 0 };
  /** When it was last used; milliseconds since 1970. */
  usedAt = 0;
  #window: number;
  #serial = 0;
  #judged = { trouble: 0, suspended: 0, slow_down: 0 };
  readonly #minute: TokenBucket | null;
  readonly #hour: TokenBucket | null;

  constructor(
    readonly of: LaneSettings,
    now: number,
  ) {
    const { perMinute, perHour } = of.pace;
    this.#window = of.slowStart ? FIRST_WINDOW : Infinity;
    this.#minute = perMinute === null ? null : new TokenBucket(perMinute, MINUTE_MS, now);
    this.#hour = perHour === null ? null : new TokenBucket(perHour, HOUR_MS, now);
  }

  /** How many jobs may begin now, when `workers` processes share the limits. */
  room(now: number, workers: number): number {
    if (this.suspension !== null && now < this.suspension.until) return 0;
    const share = this.#share(now, workers);
    const free = Math.min(this.#window, this.#cap(share)) - this.inFlight;
    if (free <= 0) return 0;
    const minute = this.#minute === null ? free : this.#minute.available(now, share);
    const hour = this.#hour === null ? free : this.#hour.available(now, share);
    return Math.max(0, Math.floor(Math.min(free, minute, hour)));
  }

  /** One job begins; returns its serial number. Only after `room` said so. */
  begin(now: number): number {
    this.inFlight += 1;
    this.usedAt = now;
    this.#minute?.take();
    this.#hour?.take();
    return (this.#serial += 1);
  }

  /** A job has ended; `idle`: nothing was sent, so it takes nothing from the rate. */
  end(idle: boolean): void {
    this.inFlight -= 1;
    if (!idle) return;
    this.#minute?.giveBack();
    this.#hour?.giveBack();
  }

  succeeded(): void {
    if (this.#window < this.of.cap) this.#window += 1;
  }

  /** The server is in trouble, or the way to it is. */
  troubled(serial: number): void {
    if (this.of.slowStart && this.#isNews('trouble', serial))
      this.#window = Math.max(1, Math.floor(Math.min(this.#window, this.of.cap) / 2));
  }

  /** False when a job that began before the last such restraint says the same once more. */
  hears(kind: 'suspended' | 'slow_down', serial: number): boolean {
    return this.#isNews(kind, serial);
  }

  /** After a pause the first mail goes alone. */
  suspend(suspension: Suspension): void {
    this.suspension = suspension;
    this.decidedAt.suspension = suspension.at;
    if (this.of.slowStart && suspension.kind === 'suspended') this.#window = 1;
  }

  slow(slowDown: SlowDown): void {
    this.slowDown = slowDown;
    this.decidedAt.slowDown = slowDown.at;
  }

  /** When there may be room again as far as the rate goes; `now` when it is not the rate. */
  nextAt(now: number, workers: number): number {
    const share = this.#share(now, workers);
    return Math.max(this.#minute?.nextAt(now, share) ?? now, this.#hour?.nextAt(now, share) ?? now);
  }

  /** Jobs that may be on their way at once now. */
  limit(now: number, workers: number): number {
    return Math.min(this.#window, this.#cap(this.#share(now, workers)));
  }

  isSlowed(now: number): boolean {
    return this.slowDown !== null && factorOf(this.slowDown, now) < 1;
  }

  isIdle(now: number, idleMs: number): boolean {
    const paused = this.suspension !== null && now < this.suspension.until;
    return this.inFlight === 0 && now - this.usedAt > idleMs && !paused && !this.isSlowed(now);
  }

  #share(now: number, workers: number): number {
    const factor = this.slowDown === null ? 1 : factorOf(this.slowDown, now);
    return this.of.divided ? factor / workers : factor;
  }

  #cap(share: number): number {
    return Math.max(1, Math.floor(this.of.cap * share));
  }

  #isNews(kind: 'trouble' | 'suspended' | 'slow_down', serial: number): boolean {
    if (serial <= this.#judged[kind]) return false;
    this.#judged[kind] = this.#serial;
    return true;
  }
}
