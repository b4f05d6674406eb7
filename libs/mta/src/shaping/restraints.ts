import type { Lane } from './lane.js';
import { factorOf } from './restraint.js';
import type { Restraint } from './restraint.js';
import type { ShapingMemory, ShapingState } from './shaping-memory.js';

/** Which lanes are held back: what begins here is told to the other processes, what they tell is heard, each end is logged. */
export class Restraints {
  readonly #lanes = new Set<Lane>();

  constructor(private readonly of: { memory?: ShapingMemory; log?: (event: object) => void }) {}

  /** A decision of ours. */
  begin(lane: Lane, restraint: Restraint): void {
    if (isCovered(lane, restraint)) return;
    const before = restraint.kind === 'slow_down' ? lane.slowDown : lane.suspension;
    apply(lane, restraint);
    this.#lanes.add(lane);
    const { queue, source } = lane.of;
    const { kind, cause, at, until } = restraint;
    const factor = restraint.kind === 'slow_down' ? restraint.factor : 1;
    this.of.memory?.tell({ queue, source: source?.address ?? null, kind, factor, until, at, ...cause });
    // Every further 421 of a busy server makes it longer; that is no beginning.
    if (before === null || before.kind !== kind || !before.own) this.#log('begins', lane, restraint);
  }

  /** A decision of another process, or news that is known already. True when it ends what would still hold here. */
  hear(lane: Lane, state: ShapingState, now: number): boolean {
    const { kind, at, until, words, mx, rule, factor } = state;
    const before = kind === 'slow_down' ? lane.slowDown : lane.suspension;
    if (at <= (kind === 'slow_down' ? lane.decidedAt.slowDown : lane.decidedAt.suspension)) return false;
    if (until <= now && before === null) return false;
    const common = { cause: { words, mx, rule }, at, until, own: before?.own === true && until <= now };
    const restraint: Restraint = kind === 'slow_down' ? { ...common, kind, factor } : { ...common, kind };
    if (isCovered(lane, restraint)) return false;
    apply(lane, restraint);
    this.#lanes.add(lane);
    return before !== null && until <= now && now < before.until;
  }

  tellEnds(now: number): void {
    for (const lane of this.#lanes) this.tellEndsOf(lane, now);
  }

  tellEndsOf(lane: Lane, now: number): void {
    const { suspension, slowDown } = lane;
    if (suspension !== null && suspension.until <= now) {
      lane.suspension = null;
      this.#log('ended', lane, suspension);
    }
    if (slowDown !== null && factorOf(slowDown, now) >= 1) {
      lane.slowDown = null;
      this.#log('ended', lane, slowDown);
    }
    if (lane.suspension === null && lane.slowDown === null) this.#lanes.delete(lane);
  }

  active(): { queue: string; source: string | null; restraint: Restraint }[] {
    return [...this.#lanes].flatMap((lane) => {
      const { queue, source } = lane.of;
      const active = [lane.suspension, lane.slowDown].filter((one) => one !== null);
      return active.map((restraint) => ({ queue, source: source?.address ?? null, restraint }));
    });
  }

  #log(what: 'begins' | 'ended', lane: Lane, { kind, cause, until, own }: Restraint): void {
    if (!own) return;
    const { queue, source } = lane.of;
    const { rule, mx } = cause;
    const common = { event: `${kind} ${what}`, queue, source: source?.address ?? null, rule };
    this.of.log?.(what === 'ended' ? common : { ...common, until: new Date(until).toISOString(), mx });
  }
}

function apply(lane: Lane, restraint: Restraint): void {
  if (restraint.kind === 'slow_down') lane.slow(restraint);
  else lane.suspend(restraint);
}

/** A pause of the warm-up does not shorten a suspension, nor the other way round. */
function isCovered({ suspension }: Lane, { kind, until }: Restraint): boolean {
  return kind !== 'slow_down' && suspension !== null && suspension.kind !== kind && until <= suspension.until;
}
