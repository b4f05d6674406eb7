import type { Throttle } from './throttle.js';
import { factorOf } from './penalty.js';
import type { Penalty } from './penalty.js';
import type { SharedThrottlingState, ThrottlingState } from './shared-state.js';

/** The active penalties. New ones are published to the other processes, theirs are merged, and each end is logged. */
export class Penalties {
  private readonly throttles = new Set<Throttle>();

  constructor(private readonly options: { shared?: SharedThrottlingState; log?: (event: object) => void }) {}

  /** Starts a penalty that this process decided. */
  start(throttle: Throttle, penalty: Penalty): void {
    if (isCovered(throttle, penalty)) return;
    const before = penalty.kind === 'slow_down' ? throttle.slowDown : throttle.suspension;
    apply(throttle, penalty);
    this.throttles.add(throttle);
    const { queue, source } = throttle.settings;
    const { kind, cause, at, until } = penalty;
    const factor = penalty.kind === 'slow_down' ? penalty.factor : 1;
    this.options.shared?.publish({ queue, source: source?.address ?? null, kind, factor, until, at, ...cause });
    // Every further 421 of a busy server extends the penalty; that is not a new one.
    if (before === null || before.kind !== kind || !before.own) this.log('begins', throttle, penalty);
  }

  /**
   * Merges a decision of another process, which may be known already. True if it ends a penalty that would still be
   * active here.
   */
  merge(throttle: Throttle, state: ThrottlingState, now: number): boolean {
    const { kind, at, until, words, mx, rule, blockList, factor } = state;
    const before = kind === 'slow_down' ? throttle.slowDown : throttle.suspension;
    if (at <= (kind === 'slow_down' ? throttle.decidedAt.slowDown : throttle.decidedAt.suspension)) return false;
    if (until <= now && before === null) return false;
    const common = { cause: { words, mx, rule, blockList }, at, until, own: before?.own === true && until <= now };
    const penalty: Penalty = kind === 'slow_down' ? { ...common, kind, factor } : { ...common, kind };
    if (isCovered(throttle, penalty)) return false;
    apply(throttle, penalty);
    this.throttles.add(throttle);
    return before !== null && until <= now && now < before.until;
  }

  logEnded(now: number): void {
    for (const throttle of this.throttles) this.logEndedOf(throttle, now);
  }

  logEndedOf(throttle: Throttle, now: number): void {
    const { suspension, slowDown } = throttle;
    if (suspension !== null && suspension.until <= now) {
      throttle.suspension = null;
      this.log('ended', throttle, suspension);
    }
    if (slowDown !== null && factorOf(slowDown, now) >= 1) {
      throttle.slowDown = null;
      this.log('ended', throttle, slowDown);
    }
    if (throttle.suspension === null && throttle.slowDown === null) this.throttles.delete(throttle);
  }

  active(): { queue: string; source: string | null; penalty: Penalty }[] {
    return [...this.throttles].flatMap((throttle) => {
      const { queue, source } = throttle.settings;
      const active = [throttle.suspension, throttle.slowDown].filter((one) => one !== null);
      return active.map((penalty) => ({ queue, source: source?.address ?? null, penalty }));
    });
  }

  private log(what: 'begins' | 'ended', throttle: Throttle, { kind, cause, until, own }: Penalty): void {
    if (!own) return;
    const { queue, source } = throttle.settings;
    const { rule, mx } = cause;
    const common = { event: `${kind} ${what}`, queue, source: source?.address ?? null, rule };
    this.options.log?.(what === 'ended' ? common : { ...common, until: new Date(until).toISOString(), mx });
  }
}

function apply(throttle: Throttle, penalty: Penalty): void {
  if (penalty.kind === 'slow_down') throttle.slow(penalty);
  else throttle.suspend(penalty);
}

/** A pause of a warm-up does not shorten a suspension, and the other way round. */
function isCovered({ suspension }: Throttle, { kind, until }: Penalty): boolean {
  return kind !== 'slow_down' && suspension !== null && suspension.kind !== kind && until <= suspension.until;
}
