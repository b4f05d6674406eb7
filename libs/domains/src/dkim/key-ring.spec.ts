import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  freeVariant,
  KEEP_RETIRED_MS,
  keysIn,
  rotationObstacle,
  switchToNextKeys,
  advanceKeyRing,
  type KeyRing,
  type KeyState,
  type NextKeysResult,
  type SigningKey,
} from './key-ring.js';
import { selectorFor } from './selector.js';

const BASE = 'plabcdefgh';
const MINUTE = 60_000;
const START = Date.parse('2026-01-31T09:30:00Z');

let made = 0;
function pair(ring: KeyRing, state: KeyState, at: number): SigningKey[] {
  const variant = freeVariant(ring, BASE);
  return (['rsa', 'ed25519'] as const).map((algorithm) => ({
    id: `key${(made += 1)}`,
    algorithm,
    selector: selectorFor(BASE, variant, algorithm),
    publicKey: '',
    state,
    createdAt: new Date(at).toISOString(),
    verifiedAt: null,
    switchedAt: null,
    retireAt: null,
  }));
}
const checkAt = (at: number) => ({ now: new Date(at), intervalMs: MINUTE });
const shape = (ring: KeyRing) => ring.map(({ selector, state }) => `${selector.slice(BASE.length)} ${state}`);

describe('a rotation', () => {
  const stable = pair([], 'active', START);
  const started = [...stable, ...pair(stable, 'next', START)];

  it('switches after two confirmations, an interval apart', () => {
    const once = advanceKeyRing(started, 'confirmed', checkAt(START));
    expect([once.change, shape(once.ring)]).toEqual([null, [' active', 'e active', '2 next', '2e next']]);
    expect(advanceKeyRing(once.ring, 'confirmed', checkAt(START + MINUTE - 1)).change).toBeNull();
    const twice = advanceKeyRing(once.ring, 'confirmed', checkAt(START + MINUTE));
    expect([twice.change, shape(twice.ring)]).toEqual(['switched', [' retired', 'e retired', '2 active', '2e active']]);
  });

  it('restarts after a negative answer between the confirmations, and waits without an answer', () => {
    const once = advanceKeyRing(started, 'confirmed', checkAt(START)).ring;
    const denied = advanceKeyRing(once, 'missing', checkAt(START + MINUTE)).ring;
    expect(advanceKeyRing(denied, 'confirmed', checkAt(START + 2 * MINUTE)).change).toBeNull();
    const open = advanceKeyRing(once, 'unanswered', checkAt(START + MINUTE));
    expect([open.change, open.ring]).toEqual([null, once]);
    expect(advanceKeyRing(open.ring, 'confirmed', checkAt(START + 2 * MINUTE)).change).toBe('switched');
  });

  it('ends seven days after the switch, when the old keys are destroyed and their selectors are free', () => {
    const after = switchToNextKeys(started, new Date(START));
    const week = START + KEEP_RETIRED_MS;
    expect(rotationObstacle(after)).toBe('retiring');
    expect(() => freeVariant(after, BASE)).toThrow();
    expect(advanceKeyRing(after, 'unanswered', checkAt(week - 1))).toEqual({ ring: after, change: null });
    const { ring, change } = advanceKeyRing(after, 'unanswered', checkAt(week));
    expect([change, shape(ring), rotationObstacle(ring)]).toEqual(['retired', ['2 active', '2e active'], null]);
    expect(shape(pair(ring, 'next', week))).toEqual([' next', 'e next']);
  });

  it('does not change a ring without a rotation', () => {
    for (const result of ['confirmed', 'missing', 'unanswered'] as const)
      expect(advanceKeyRing(stable, result, checkAt(START)).ring).toEqual(stable);
  });
});

const WAITS = [0, 1_000, MINUTE, 5 * MINUTE, 86_400_000, 3 * 86_400_000];
const ACTIONS = ['begin', 'cancel', 'confirmed', 'confirmed', 'confirmed', 'missing', 'unanswered'] as const;

/** A domain that checks its own invariants. */
class SimulatedDomain {
  ring: KeyRing = pair([], 'active', START);
  now = START;
  switches = 0;
  private confirmations: number[] = [];
  /** The time of the last signature of each key. */
  private readonly signed = new Map<string, number>();

  step(wait: number, action: (typeof ACTIONS)[number]): void {
    this.now += wait;
    for (const { id } of keysIn(this.ring, 'active')) this.signed.set(id, this.now);
    const before = this.ring;
    if (action === 'cancel') this.cancel();
    else if (action !== 'begin') this.check(action);
    else if (rotationObstacle(before) === null) this.begin();
    for (const gone of before.filter((key) => !this.ring.includes(key))) this.assertMayBeDestroyed(gone);
    this.assertInvariants();
  }

  private assertInvariants(): void {
    const algorithms = keysIn(this.ring, 'active').map(({ algorithm }) => algorithm);
    expect(algorithms).toEqual(['rsa', 'ed25519']);
    const [selectors, states] = [
      new Set(this.ring.map(({ selector }) => selector)),
      new Set(this.ring.map(({ algorithm, state }) => `${algorithm} ${state}`)),
    ];
    expect([selectors.size, states.size]).toEqual([this.ring.length, this.ring.length]);
  }

  private begin(): void {
    this.ring = [...this.ring, ...pair(this.ring, 'next', this.now)];
    this.confirmations = [];
  }

  private cancel(): void {
    this.ring = this.ring.filter(({ state }) => state !== 'next');
    this.confirmations = [];
  }

  private check(result: NextKeysResult): void {
    const { ring, change } = advanceKeyRing(this.ring, result, checkAt(this.now));
    if (keysIn(this.ring, 'next').length > 0 && result === 'confirmed') this.confirmations.push(this.now);
    if (result === 'missing') this.confirmations = [];
    if (change === 'switched') {
      this.switches += 1;
      expect(result).toBe('confirmed');
      expect(this.now - this.confirmations[0]).toBeGreaterThanOrEqual(MINUTE);
      this.confirmations = [];
    }
    this.ring = ring;
  }

  private assertMayBeDestroyed(key: SigningKey): void {
    if (this.ring.some(({ id }) => id === key.id)) return;
    expect(key.state).not.toBe('active');
    const last = this.signed.get(key.id);
    if (last !== undefined) expect(this.now - last).toBeGreaterThanOrEqual(KEEP_RETIRED_MS);
  }
}

describe('any order of events', () => {
  it('one key of each algorithm signs, none without confirmation, and replaced keys are kept for seven days', () => {
    let switches = 0;
    const step = fc.tuple(fc.constantFrom(...WAITS), fc.constantFrom(...ACTIONS));
    fc.assert(
      fc.property(fc.array(step, { minLength: 40, maxLength: 80 }), (steps) => {
        const domain = new SimulatedDomain();
        for (const [wait, action] of steps) domain.step(wait, action);
        switches += domain.switches;
      }),
    );
    // The sequences contain rotations.
    expect(switches).toBeGreaterThan(100);
  });
});
