import { keysIn, advanceKeyRing, type KeyRing, type NextKeysResult } from '../dkim/key-ring.js';
import type { DomainRow } from '../model/domain-row.js';
import { slotOf, type Slot } from '../model/expected-records.js';
import { stepsToNextKeyCheck } from './check-schedule.js';
import type { CheckTime } from './domain-transition.js';
import type { Outcome } from './judgement.js';

type Outcomes = ReadonlyMap<Slot, Outcome>;
type KeyRotationStep = Pick<DomainRow, 'keys' | 'findings'> & {
  outcomes: Outcomes;
  change: 'dkim_switched' | 'dkim_retired' | null;
};

/**
 * Advances the keys of a domain after a check. Previous findings and new outcomes are returned under the slots that the keys
 * have after the step.
 */
export function stepKeyRotation(
  domain: Pick<DomainRow, 'keys' | 'findings' | 'vouched'>,
  outcomes: Outcomes,
  at: CheckTime,
): KeyRotationStep {
  const { ring, change } = advanceKeyRing(domain.keys, nextKeysResult(domain, outcomes), at);
  const slots = new Map<Slot, Slot | null>(
    domain.keys.map((key) => {
      const after = ring.find(({ id }) => id === key.id);
      return [slotOf(key), after ? slotOf(after) : null];
    }),
  );
  const slotAfter = (slot: Slot) => (slots.has(slot) ? slots.get(slot) : slot) ?? null;
  return {
    keys: ring,
    change: change && `dkim_${change}`,
    findings: domain.findings.flatMap((finding) => {
      const slot = slotAfter(finding.slot);
      return slot === null ? [] : [{ ...finding, slot }];
    }),
    outcomes: new Map(
      [...outcomes].flatMap(([slot, outcome]) => {
        const after = slotAfter(slot);
        return after === null ? [] : [[after, outcome] as const];
      }),
    ),
  };
}

/** Milliseconds until the next check of the keys; null: none is needed. */
export function nextKeyCheckInMs(ring: KeyRing, askedAt: Date | null, { now, intervalMs }: CheckTime): number | null {
  const since = (time: string | Date | null = null) =>
    time === null ? null : (now.getTime() - new Date(time).getTime()) / intervalMs;
  const [next, retired] = [keysIn(ring, 'next').at(0), keysIn(ring, 'retired').at(0)];
  const sinceRetired = since(retired?.retireAt);
  const steps = stepsToNextKeyCheck({
    sinceBegun: since(next?.createdAt),
    proved: next !== undefined && next.verifiedAt !== null,
    sinceAsked: since(askedAt),
    untilRetired: sinceRetired === null ? null : -sinceRetired,
  });
  return steps === null ? null : steps * intervalMs;
}

/** A domain with two verifiable signatures keeps two, so the records of both next keys are needed. */
function nextKeysResult(
  { vouched, findings }: Pick<DomainRow, 'vouched' | 'findings'>,
  outcomes: Outcomes,
): NextKeysResult {
  const both = vouched || findings.some(({ slot, status }) => slot === 'dkim_ed25519' && status === 'verified');
  const needed: Slot[] = both ? ['dkim_next', 'dkim_ed25519_next'] : ['dkim_next'];
  const verdicts = needed.map((slot) => outcomes.get(slot)?.verdict ?? 'unanswered');
  if (verdicts.every((verdict) => verdict === 'verified')) return 'confirmed';
  return verdicts.some((verdict) => verdict === 'missing' || verdict === 'wrong') ? 'missing' : 'unanswered';
}
