import { TokenBucket } from '#libs/kernel';
import type { SourceAddress } from '../routing/mx-endpoint.js';
import { factorOf } from './penalty.js';
import type { SlowDown, Suspension } from './penalty.js';
import type { ProviderLimits } from './plan/throttling-plan.js';
import type { WarmUp } from './warm-up.js';

/** Concurrent jobs of a queue without history. */
const FIRST_WINDOW = 5;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The part of a limit that may be used at once after a pause, so that a window hardly exceeds its limit. */
const BURST = 0.1;

export interface ThrottleSettings {
  queue: string;
  source: SourceAddress | null;
  limits: ProviderLimits;
  /** Concurrent jobs of a queue without trouble. */
  maxConcurrent: number;
  /** Whether the number of concurrent jobs grows slowly up to the maximum. */
  slowStart: boolean;
  /** Whether the delivery processes share its limits. */
  isShared: boolean;
  warmUp: WarmUp | null;
}

/**
 * The state of one queue from one source address: jobs in flight and free slots. Invariant: `inFlight` never exceeds
 * the maximum. The window works like that of TCP: plus one with each success, halved by trouble, at most once per
 * generation of jobs, because twenty connections that fail together are one event.
 */
export class Throttle {
  inFlight = 0;
  suspension: Suspension | null = null;
  slowDown: SlowDown | null = null;
  /** When the latest penalty of each kind was decided, even if it is over. Older decisions are ignored. */
  readonly decidedAt = { suspension: 0, slowDown: 0 };
  /** When it was last used; milliseconds since 1970. */
  usedAt = 0;
  private window: number;
  private serial = 0;
  private signalledAt = { trouble: 0, suspended: 0, slow_down: 0 };
  private readonly minute: TokenBucket | null;
  private readonly hour: TokenBucket | null;

  constructor(
    readonly settings: ThrottleSettings,
    now: number,
  ) {
    const { perMinute, perHour } = settings.limits;
    this.window = settings.slowStart ? FIRST_WINDOW : Infinity;
    this.minute = perMinute === null ? null : bucketOf(perMinute, MINUTE_MS, now);
    this.hour = perHour === null ? null : bucketOf(perHour, HOUR_MS, now);
  }

  /** How many jobs may begin now if `workers` processes share the limits. */
  availableSlots(now: number, workers: number): number {
    if (this.suspension !== null && now < this.suspension.until) return 0;
    const share = this.share(now, workers);
    const free = Math.min(this.window, this.maxConcurrent(share)) - this.inFlight;
    if (free <= 0) return 0;
    const minute = this.minute === null ? free : this.minute.available(now, share);
    const hour = this.hour === null ? free : this.hour.available(now, share);
    return Math.max(0, Math.floor(Math.min(free, minute, hour)));
  }

  /** Counts the start of a job and returns its serial number. Call it only if `availableSlots` is at least 1. */
  start(now: number): number {
    this.inFlight += 1;
    this.usedAt = now;
    this.minute?.take();
    this.hour?.take();
    return (this.serial += 1);
  }

  /** Counts the end of a job. @param idle Nothing was sent, so the job does not count for the rate. */
  finish(idle: boolean): void {
    this.inFlight -= 1;
    if (!idle) return;
    this.minute?.refund();
    this.hour?.refund();
  }

  onSuccess(): void {
    if (this.window < this.settings.maxConcurrent) this.window += 1;
  }

  /** The server, or the network path to it, is in trouble. */
  onTrouble(serial: number): void {
    if (this.settings.slowStart && this.isNew('trouble', serial))
      this.window = Math.max(1, Math.floor(Math.min(this.window, this.settings.maxConcurrent) / 2));
  }

  /** False if a job that began before the last such penalty repeats the same signal. */
  isNewSignal(kind: 'suspended' | 'slow_down', serial: number): boolean {
    return this.isNew(kind, serial);
  }

  /** After a pause the first job runs alone. */
  suspend(suspension: Suspension): void {
    this.suspension = suspension;
    this.decidedAt.suspension = suspension.at;
    if (this.settings.slowStart && suspension.kind === 'suspended') this.window = 1;
  }

  slow(slowDown: SlowDown): void {
    this.slowDown = slowDown;
    this.decidedAt.slowDown = slowDown.at;
  }

  /** When the rate allows the next job; `now` if the rate is not the limit. */
  nextAt(now: number, workers: number): number {
    const share = this.share(now, workers);
    return Math.max(this.minute?.nextAt(now, share) ?? now, this.hour?.nextAt(now, share) ?? now);
  }

  /** The current limit of concurrent jobs. */
  limit(now: number, workers: number): number {
    return Math.min(this.window, this.maxConcurrent(this.share(now, workers)));
  }

  isSlowed(now: number): boolean {
    return this.slowDown !== null && factorOf(this.slowDown, now) < 1;
  }

  isIdle(now: number, idleMs: number): boolean {
    const paused = this.suspension !== null && now < this.suspension.until;
    return this.inFlight === 0 && now - this.usedAt > idleMs && !paused && !this.isSlowed(now);
  }

  private share(now: number, workers: number): number {
    const factor = this.slowDown === null ? 1 : factorOf(this.slowDown, now);
    return this.settings.isShared ? factor / workers : factor;
  }

  private maxConcurrent(share: number): number {
    return Math.max(1, Math.floor(this.settings.maxConcurrent * share));
  }

  private isNew(kind: 'trouble' | 'suspended' | 'slow_down', serial: number): boolean {
    if (serial <= this.signalledAt[kind]) return false;
    this.signalledAt[kind] = this.serial;
    return true;
  }
}

const bucketOf = (limit: number, windowMs: number, now: number): TokenBucket =>
  new TokenBucket({ limit, windowMs, burst: limit * BURST }, now);
