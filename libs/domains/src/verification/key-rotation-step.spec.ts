import { describe, expect, it } from 'vitest';
import { KEEP_RETIRED_MS, type KeyState, type SigningKey } from '../dkim/key-ring.js';
import type { Slot } from '../model/expected-records.js';
import type { Finding } from './finding.js';
import { missing, verified, type Outcome } from './judgement.js';
import { nextKeyCheckInMs, stepKeyRotation } from './key-rotation-step.js';

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

describe('stepKeyRotation', () => {
  const confirmed = [...pair('active'), ...pair('next', { verifiedAt: ago(1) })];

  it('returns findings under the new slots after a switch', () => {
    const findings = [finding('spf'), finding('dkim'), finding('dkim_next')];
    const step = stepKeyRotation({ keys: confirmed, findings, vouched: false }, seen('spf', 'dkim', 'dkim_next'), at);
    expect(step.change).toBe('dkim_switched');
    expect(step.findings.map(({ slot, observed }) => [slot, observed[0]])).toEqual([
      ['spf', 'spf'],
      ['dkim_retired', 'dkim'],
      ['dkim', 'dkim_next'],
    ]);
    expect([...step.outcomes.keys()]).toEqual(['spf', 'dkim_retired', 'dkim']);
  });

  it('drops the findings of destroyed keys', () => {
    const keys = [...pair('active'), ...pair('retired', { retireAt: ago(0) })];
    const findings = [finding('dkim'), finding('dkim_retired')];
    const step = stepKeyRotation({ keys, findings, vouched: false }, seen('dkim', 'dkim_retired'), at);
    expect(step.change).toBe('dkim_retired');
    expect([step.findings.map(({ slot }) => slot), [...step.outcomes.keys()]]).toEqual([['dkim'], ['dkim']]);
  });

  it.each<[what: string, findings: Finding[], vouched: boolean, ed25519: Outcome | null, change: string | null]>([
    ['RSA alone where no other is in use', [], false, missing(''), 'dkim_switched'],
    ['RSA alone where the other was lost', [finding('dkim_ed25519', 'missing')], false, null, 'dkim_switched'],
    ['both where mail carries both', [finding('dkim_ed25519')], false, missing(''), null],
    ['both where mail carries both', [finding('dkim_ed25519')], false, verified([]), 'dkim_switched'],
    ['both where the operator vouches', [], true, missing(''), null],
    ['both where the operator vouches', [], true, verified([]), 'dkim_switched'],
  ])('needs the confirmation of %s', (_, findings, vouched, ed25519, change) => {
    const outcomes = seen('dkim_next');
    if (ed25519) outcomes.set('dkim_ed25519_next', ed25519);
    expect(stepKeyRotation({ keys: confirmed, findings, vouched }, outcomes, at).change).toBe(change);
  });
});

describe('nextKeyCheckInMs', () => {
  const minutes = (keys: SigningKey[], askedAt: Date | null = null) => {
    const ms = nextKeyCheckInMs(keys, askedAt, at);
    return ms === null ? null : ms / MINUTE;
  };

  it('is null without a rotation', () => {
    expect(minutes(pair('active'))).toBeNull();
  });

  it.each<[what: string, next: Partial<SigningKey>, askedAt: Date | null, minutes: number]>([
    ['a minute later in the first hour', { createdAt: ago(59) }, null, 1],
    ['every five minutes after it', { createdAt: ago(60) }, null, 5],
    ['a minute later when somebody asks', { createdAt: ago(600) }, new Date(ago(10)), 1],
    ['a minute later when they were seen once', { createdAt: ago(600), verifiedAt: ago(0) }, null, 1],
    ['daily after three days', { createdAt: ago(72 * 60) }, null, 24 * 60],
  ])('is %s for next keys', (_, next, askedAt, expected) => {
    expect(minutes([...pair('active'), ...pair('next', next)], askedAt)).toBe(expected);
  });

  it('is the end of replaced keys', () => {
    const retireAt = new Date(NOW.getTime() + KEEP_RETIRED_MS).toISOString();
    expect(minutes([...pair('active'), ...pair('retired', { retireAt })])).toBe(KEEP_RETIRED_MS / MINUTE);
    expect(minutes([...pair('active'), ...pair('retired', { retireAt: ago(5) })])).toBe(1);
  });
});
