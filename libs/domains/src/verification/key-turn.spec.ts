import { describe, expect, it } from 'vitest';
import { KEEP_RETIRED_MS, type KeyState, type SigningKey } from '../dkim/key-ring.js';
import type { Slot } from '../expected-records.js';
import type { Finding } from './finding.js';
import { missing, verified, type Outcome } from './judgement.js';
import { keysDueInMs, turnKeys } from './key-turn.js';

const MINUTE = 60_000;
const NOW = new Date('2026-01-31T09:30:00Z');
const at = { now: NOW, intervalMs: MINUTE };
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * MINUTE).toISOString();

const pair = (state: KeyState, more: Partial<SigningKey> = {}): SigningKey[] =>
  (['rsa', 'ed25519'] as const).map((algorithm) => ({
    id: `${algorithm} ${state}`,
    algorithm,
    selector: `${algorithm}-${state}`,
    publicKey: '',
    state,
    createdAt: ago(10),
    verifiedAt: null,
    switchedAt: null,
    retireAt: null,
    ...more,
  }));
const finding = (slot: Slot, status: Finding['status'] = 'verified'): Finding => ({
  slot,
  status,
  observed: [slot],
  error: null,
  checkedAt: ago(1),
  lostSince: null,
});
const seen = (...slots: Slot[]) => new Map<Slot, Outcome>(slots.map((slot) => [slot, verified([slot])]));

describe('what a look at DNS does to keys', () => {
  const proved = [...pair('active'), ...pair('next', { verifiedAt: ago(1) })];

  it('calls what was found at a record by its new name after a switch', () => {
    const findings = [finding('spf'), finding('dkim'), finding('dkim_next')];
    const turned = turnKeys({ keys: proved, findings, vouched: false }, seen('spf', 'dkim', 'dkim_next'), at);
    expect(turned.change).toBe('dkim_switched');
    expect(turned.findings.map(({ slot, observed }) => [slot, observed[0]])).toEqual([
      ['spf', 'spf'],
      ['dkim_retired', 'dkim'],
      ['dkim', 'dkim_next'],
    ]);
    expect([...turned.outcomes.keys()]).toEqual(['spf', 'dkim_retired', 'dkim']);
  });

  it('forgets what was found of keys that are destroyed', () => {
    const keys = [...pair('active'), ...pair('retired', { retireAt: ago(0) })];
    const findings = [finding('dkim'), finding('dkim_retired')];
    const turned = turnKeys({ keys, findings, vouched: false }, seen('dkim', 'dkim_retired'), at);
    expect(turned.change).toBe('dkim_retired');
    expect([turned.findings.map(({ slot }) => slot), [...turned.outcomes.keys()]]).toEqual([['dkim'], ['dkim']]);
  });

  it.each<[what: string, findings: Finding[], vouched: boolean, ed25519: Outcome | null, change: string | null]>([
    ['RSA alone where no other is in use', [], false, missing(''), 'dkim_switched'],
    ['RSA alone where the other was lost', [finding('dkim_ed25519', 'missing')], false, null, 'dkim_switched'],
    ['both where mail carries both', [finding('dkim_ed25519')], false, missing(''), null],
    ['both where mail carries both', [finding('dkim_ed25519')], false, verified([]), 'dkim_switched'],
    ['both where the operator vouches', [], true, missing(''), null],
    ['both where the operator vouches', [], true, verified([]), 'dkim_switched'],
  ])('needs the proof of %s', (_, findings, vouched, ed25519, change) => {
    const outcomes = seen('dkim_next');
    if (ed25519) outcomes.set('dkim_ed25519_next', ed25519);
    expect(turnKeys({ keys: proved, findings, vouched }, outcomes, at).change).toBe(change);
  });
});

describe('when keys want to be looked at', () => {
  const minutes = (keys: SigningKey[], askedAt: Date | null = null) => {
    const ms = keysDueInMs(keys, askedAt, at);
    return ms === null ? null : ms / MINUTE;
  };

  it('is never while nothing is under way', () => {
    expect(minutes(pair('active'))).toBeNull();
  });

  it.each<[what: string, next: Partial<SigningKey>, askedAt: Date | null, minutes: number]>([
    ['a minute later in the first hour', { createdAt: ago(59) }, null, 1],
    ['every five minutes after it', { createdAt: ago(60) }, null, 5],
    ['a minute later when somebody asks', { createdAt: ago(600) }, new Date(ago(10)), 1],
    ['a minute later when they were seen once', { createdAt: ago(600), verifiedAt: ago(0) }, null, 1],
    ['daily after three days', { createdAt: ago(72 * 60) }, null, 24 * 60],
  ])('is %s, of those that wait for DNS', (_, next, askedAt, expected) => {
    expect(minutes([...pair('active'), ...pair('next', next)], askedAt)).toBe(expected);
  });

  it('is at their end, of those that were replaced', () => {
    const retireAt = new Date(NOW.getTime() + KEEP_RETIRED_MS).toISOString();
    expect(minutes([...pair('active'), ...pair('retired', { retireAt })])).toBe(KEEP_RETIRED_MS / MINUTE);
    expect(minutes([...pair('active'), ...pair('retired', { retireAt: ago(5) })])).toBe(1);
  });
});
