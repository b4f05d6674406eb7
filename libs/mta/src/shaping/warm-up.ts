import type { ShapingMemory, WarmUpDay } from './shaping-memory.js';
import type { WarmUpCurve, WarmUpPlan } from './shaping-plan.js';

const DAY_MS = 86_400_000;
/** A process takes the day's recipients in slices of a twentieth: what it does not use until its end is lost to the day. */
const SLICES = 20;
const MOST_PER_SLICE = 100;
/** While the memory does not answer. */
const ASK_AGAIN_MS = 1_000;
/** How many attempts are remembered for the share of deferrals, and how many are needed for a judgement. */
const REMEMBERED = 100;
const ENOUGH = 20;

/** Recipients allowed on the day of `now`; null: warm. Before its first day an address sends nothing. */
export function allowanceOf(plan: WarmUpPlan, curve: WarmUpCurve, now: number): number | null {
  const day = Math.floor((now - plan.startedAt) / DAY_MS);
  if (day < 0) return 0;
  const allowed = Math.floor(curve.firstDay * curve.factor ** day);
  return allowed >= curve.until ? null : allowed;
}

/** A new source address at one provider: how much of today's plan is left, and how its mail is received. */
export class WarmUp {
  readonly #curve: WarmUpCurve;
  #dayStart = -Infinity;
  #day: WarmUpDay = { source: '', provider: '', day: '', allowance: 0 };
  #warm = false;
  /** Recipients that this process may still reach today without asking. */
  #stock = 0;
  #exhausted = false;
  #asking = false;
  #askAgainAt = 0;
  #attempts = 0;
  #deferrals = 0;

  constructor(
    readonly plan: WarmUpPlan,
    private readonly of: { source: string; provider: string },
    private readonly memory: ShapingMemory | null,
  ) {
    this.#curve = plan.providers.get(of.provider) ?? plan.curve;
  }

  /** True once the plan is through. */
  isWarm(now: number): boolean {
    this.#turnTo(now);
    return this.#warm;
  }

  /** Today's plan; for sentences. */
  get allowance(): number {
    return this.#day.allowance;
  }

  /** How many recipients may be reached now. Asks the others for more in good time, at least for `wanted`. */
  room(now: number, wanted = 1): number {
    this.#turnTo(now);
    if (this.#warm) return Number.MAX_SAFE_INTEGER;
    const slice = Math.max(this.#slice(), wanted);
    if (this.#stock < slice) this.#ask(slice, now);
    return this.#stock;
  }

  /** What a job costs. One with more recipients than a whole day allows could never go. */
  cost(recipients: number): number {
    return Math.max(1, Math.min(recipients, this.#day.allowance));
  }

  /** After `room` said that there is as much. */
  spend(cost: number): void {
    if (!this.#warm) this.#stock -= cost;
  }

  /** Nobody was reached after all. A day that is over takes nothing back. */
  giveBack(cost: number, spentAt: number): void {
    if (spentAt >= this.#dayStart && !this.#warm) this.#stock += cost;
  }

  /** When there may be more: with the next slice, or tomorrow (UTC). */
  nextAt(now: number): number {
    return this.#exhausted ? this.#dayStart + DAY_MS : now + ASK_AGAIN_MS;
  }

  /** Counts an attempt; true when it was deferred as too many of late, and the count begins anew. */
  notes(deferred: boolean): boolean {
    if (this.#attempts >= REMEMBERED) {
      this.#attempts /= 2;
      this.#deferrals /= 2;
    }
    this.#attempts += 1;
    if (deferred) this.#deferrals += 1;
    if (!deferred || this.#attempts < ENOUGH || this.#deferrals <= this.plan.pauseAbove * this.#attempts) return false;
    this.#attempts = 0;
    this.#deferrals = 0;
    return true;
  }

  #slice(): number {
    return Math.max(1, Math.min(MOST_PER_SLICE, Math.floor(this.#day.allowance / SLICES)));
  }

  #turnTo(now: number): void {
    if (now >= this.#dayStart && now < this.#dayStart + DAY_MS) return;
    const allowance = allowanceOf(this.plan, this.#curve, now);
    this.#dayStart = Math.floor(now / DAY_MS) * DAY_MS;
    this.#warm = allowance === null;
    this.#day = { ...this.of, day: new Date(now).toISOString().slice(0, 10), allowance: allowance ?? 0 };
    this.#stock = this.memory === null ? this.#day.allowance : 0;
    this.#exhausted = this.memory === null || this.#day.allowance === 0;
    this.#askAgainAt = 0;
  }

  #ask(wanted: number, now: number): void {
    if (this.memory === null || this.#asking || this.#exhausted || now < this.#askAgainAt) return;
    this.#asking = true;
    void this.#take(wanted, now);
  }

  async #take(wanted: number, now: number): Promise<void> {
    const day = this.#day;
    try {
      const taken = (await this.memory?.takeWarmUp(day, wanted)) ?? 0;
      if (this.#day !== day) return;
      this.#stock += taken;
      this.#exhausted = taken === 0;
    } catch {
      this.#askAgainAt = now + ASK_AGAIN_MS;
    } finally {
      this.#asking = false;
    }
  }
}
