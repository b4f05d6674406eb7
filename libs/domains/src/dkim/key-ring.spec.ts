import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  freePlace,
  KEEP_RETIRED_MS,
  keysIn,
  obstacleTo,
  switched,
  turn,
  type KeyRing,
  type KeyState,
  type Proof,
  type SigningKey,
} from './key-ring.js';
import { selectorAt } from './selector.js';

const BASE = 'plabcdefgh';
const MINUTE = 60_000;
const START = Date.parse('2026-01-31T09:30:00Z');

let made = 0;
function pair(ring: KeyRing, state: KeyState, at: number): SigningKey[] {
  const place = freePlace(ring, BASE);
  return (['rsa', 'ed25519'] as const).map((algorithm) => ({
    id: `key${(made += 1)}`,
    algorithm,
    selector: selectorAt(BASE, place, algorithm),
    publicKey: '',
    state,
    createdAt: new Date(at).toISOString(),
    verifiedAt: null,
    switchedAt: null,
    retireAt: null,
  }));
}
const moment = (at: number) => ({ now: new Date(at), intervalMs: MINUTE });
const shape = (ring: KeyRing) => ring.map(({ selector, state }) => `${selector.slice(BASE.length)} ${state}`);

describe('a rotation', () => {
  const stable = pair([], 'active', START);
  const begun = [...stable, ...pair(stable, 'next', START)];

  it('goes on when DNS showed the next keys twice, an interval apart', () => {
    const once = turn(begun, 'proved', moment(START));
    expect([once.change, shape(once.ring)]).toEqual([null, [' active', 'e active', '2 next', '2e next']]);
    expect(turn(once.ring, 'proved', moment(START + MINUTE - 1)).change).toBeNull();
    const twice = turn(once.ring, 'proved', moment(START + MINUTE));
    expect([twice.change, shape(twice.ring)]).toEqual(['switched', [' retired', 'e retired', '2 active', '2e active']]);
  });

  it('begins anew with its proofs when DNS says no between them, and waits when DNS says nothing', () => {
    const once = turn(begun, 'proved', moment(START)).ring;
    const refuted = turn(once, 'refuted', moment(START + MINUTE)).ring;
    expect(turn(refuted, 'proved', moment(START + 2 * MINUTE)).change).toBeNull();
    const open = turn(once, 'open', moment(START + MINUTE));
    expect([open.change, open.ring]).toEqual([null, once]);
    expect(turn(open.ring, 'proved', moment(START + 2 * MINUTE)).change).toBe('switched');
  });

  it('ends seven days after the switch, when the old keys go, and the next one takes their names', () => {
    const after = switched(begun, new Date(START));
    const week = START + KEEP_RETIRED_MS;
    expect(obstacleTo(after)).toBe('retiring');
    expect(() => freePlace(after, BASE)).toThrow();
    expect(turn(after, 'open', moment(week - 1))).toEqual({ ring: after, change: null });
    const { ring, change } = turn(after, 'open', moment(week));
    expect([change, shape(ring), obstacleTo(ring)]).toEqual(['retired', ['2 active', '2e active'], null]);
    expect(shape(pair(ring, 'next', week))).toEqual([' next', 'e next']);
  });

  it('changes nothing in a ring where nothing is under way', () => {
    for (const proof of ['proved', 'refuted', 'open'] as const)
      expect(turn(stable, proof, moment(START)).ring).toEqual(stable);
  });
});

const WAITS = [0, 1_000, MINUTE, 5 * MINUTE, 86_400_000, 3 * 86_400_000];
const DEEDS = ['begin', 'cancel', 'proved', 'proved', 'proved', 'refuted', 'open'] as const;

/** One life of a domain, that watches over itself. */
class Life {
  ring: KeyRing = pair([], 'active', START);
  now = START;
  switches = 0;
  private proofs: number[] = [];
  /** When a key last signed. */
  private readonly signed = new Map<string, number>();

  step(wait: number, deed: (typeof DEEDS)[number]): void {
    this.now += wait;
    for (const { id } of keysIn(this.ring, 'active')) this.signed.set(id, this.now);
    const before = this.ring;
    if (deed === 'cancel') this.cancel();
    else if (deed !== 'begin') this.look(deed);
    else if (obstacleTo(before) === null) this.begin();
    for (const gone of before.filter((key) => !this.ring.includes(key))) this.buried(gone);
    this.isSound();
  }

  private isSound(): void {
    const algorithms = keysIn(this.ring, 'active').map(({ algorithm }) => algorithm);
    expect(algorithms).toEqual(['rsa', 'ed25519']);
    const [names, places] = [
      new Set(this.ring.map(({ selector }) => selector)),
      new Set(this.ring.map(({ algorithm, state }) => `${algorithm} ${state}`)),
    ];
    expect([names.size, places.size]).toEqual([this.ring.length, this.ring.length]);
  }

  private begin(): void {
    this.ring = [...this.ring, ...pair(this.ring, 'next', this.now)];
    this.proofs = [];
  }

  private cancel(): void {
    this.ring = this.ring.filter(({ state }) => state !== 'next');
    this.proofs = [];
  }

  private look(proof: Proof): void {
    const { ring, change } = turn(this.ring, proof, moment(this.now));
    if (keysIn(this.ring, 'next').length > 0 && proof === 'proved') this.proofs.push(this.now);
    if (proof === 'refuted') this.proofs = [];
    if (change === 'switched') {
      this.switches += 1;
      expect(proof).toBe('proved');
      expect(this.now - this.proofs[0]).toBeGreaterThanOrEqual(MINUTE);
      this.proofs = [];
    }
    this.ring = ring;
  }

  private buried(key: SigningKey): void {
    if (this.ring.some(({ id }) => id === key.id)) return;
    expect(key.state).not.toBe('active');
    const last = this.signed.get(key.id);
    if (last !== undefined) expect(this.now - last).toBeGreaterThanOrEqual(KEEP_RETIRED_MS);
  }
}

describe('in whatever order things happen', () => {
  it('one key of each kind signs, none without proof, and what signed stays for seven days', () => {
    let switches = 0;
    const step = fc.tuple(fc.constantFrom(...WAITS), fc.constantFrom(...DEEDS));
    fc.assert(
      fc.property(fc.array(step, { minLength: 40, maxLength: 80 }), (steps) => {
        const life = new Life();
        for (const [wait, deed] of steps) life.step(wait, deed);
        switches += life.switches;
      }),
    );
    // The walks are no idle ones.
    expect(switches).toBeGreaterThan(100);
  });
});
