import type { SharedThrottlingState, WarmUpDay } from './shared-state.js';
import type { WarmUpCurve, WarmUpPlan } from './plan/throttling-plan.js';

const DAY_MS = 86_400_000;
/** A process reserves recipients of the day in slices of a twentieth. An unused rest is lost when the process ends. */
const SLICES = 20;
const MAX_PER_SLICE = 100;
/** While the shared state is unavailable. */
const RETRY_MS = 1_000;
/** Number of attempts in the share of deferrals, and the minimum for a decision. */
const MAX_ATTEMPTS = 100;
const MIN_ATTEMPTS = 20;

/** Recipients allowed on the day of `now`; null: warm. Before its first day an address sends nothing. */
export function allowanceOf(plan: WarmUpPlan, curve: WarmUpCurve, now: number): number | null {
  const day = Math.floor((now - plan.startedAt) / DAY_MS);
  if (day < 0) return 0;
  const allowed = Math.floor(curve.firstDay * curve.factor ** day);
  return allowed >= curve.until ? null : allowed;
}

/** The warm-up of a new source address at one provider: the rest of today's limit, and the share of deferrals. */
export class WarmUp {
  private readonly curve: WarmUpCurve;
  private dayStart = -Infinity;
  private day: WarmUpDay = { source: '', provider: '', day: '', allowance: 0 };
  private warm = false;
  /** Recipients that this process has reserved for today. */
  private reserved = 0;
  private exhausted = false;
  private isReserving = false;
  private retryAt = 0;
  private attempts = 0;
  private deferrals = 0;

  constructor(
    readonly plan: WarmUpPlan,
    private readonly key: { source: string; provider: string },
    private readonly shared: SharedThrottlingState | null,
  ) {
    this.curve = plan.providers.get(key.provider) ?? plan.curve;
  }

  /** True after the end of the plan. */
  isWarm(now: number): boolean {
    this.startDay(now);
    return this.warm;
  }

  /** Today's limit, for sentences. */
  get allowance(): number {
    return this.day.allowance;
  }

  /** How many recipients are available now. Reserves more early enough, at least `wanted`. */
  available(now: number, wanted = 1): number {
    this.startDay(now);
    if (this.warm) return Number.MAX_SAFE_INTEGER;
    const slice = Math.max(this.slice(), wanted);
    if (this.reserved < slice) this.reserveSoon(slice, now);
    return this.reserved;
  }

  /** The cost of a job, at most the limit of the day: a larger job could never start. */
  cost(recipients: number): number {
    return Math.max(1, Math.min(recipients, this.day.allowance));
  }

  /** Call it only if `available` is at least `cost`. */
  spend(cost: number): void {
    if (!this.warm) this.reserved -= cost;
  }

  /** Nothing was sent after all. The cost of an earlier day is not refunded. */
  refund(cost: number, spentAt: number): void {
    if (spentAt >= this.dayStart && !this.warm) this.reserved += cost;
  }

  /** When there may be more: with the next slice, or tomorrow (UTC). */
  nextAt(now: number): number {
    return this.exhausted ? this.dayStart + DAY_MS : now + RETRY_MS;
  }

  /** Counts an attempt. True if too many were deferred recently; the count starts again then. */
  record(deferred: boolean): boolean {
    if (this.attempts >= MAX_ATTEMPTS) {
      this.attempts /= 2;
      this.deferrals /= 2;
    }
    this.attempts += 1;
    if (deferred) this.deferrals += 1;
    if (!deferred || this.attempts < MIN_ATTEMPTS || this.deferrals <= this.plan.pauseAbove * this.attempts)
      return false;
    this.attempts = 0;
    this.deferrals = 0;
    return true;
  }

  private slice(): number {
    return Math.max(1, Math.min(MAX_PER_SLICE, Math.floor(this.day.allowance / SLICES)));
  }

  private startDay(now: number): void {
    if (now >= this.dayStart && now < this.dayStart + DAY_MS) return;
    const allowance = allowanceOf(this.plan, this.curve, now);
    this.dayStart = Math.floor(now / DAY_MS) * DAY_MS;
    this.warm = allowance === null;
    this.day = { ...this.key, day: new Date(now).toISOString().slice(0, 10), allowance: allowance ?? 0 };
    this.reserved = this.shared === null ? this.day.allowance : 0;
    this.exhausted = this.shared === null || this.day.allowance === 0;
    this.retryAt = 0;
  }

  private reserveSoon(wanted: number, now: number): void {
    if (this.shared === null || this.isReserving || this.exhausted || now < this.retryAt) return;
    this.isReserving = true;
    void this.reserve(wanted, now);
  }

  private async reserve(wanted: number, now: number): Promise<void> {
    const day = this.day;
    try {
      const added = (await this.shared?.reserveWarmUp(day, wanted)) ?? 0;
      if (this.day !== day) return;
      this.reserved += added;
      this.exhausted = added === 0;
    } catch {
      this.retryAt = now + RETRY_MS;
    } finally {
      this.isReserving = false;
    }
  }
}
