import { keysIn, turn, type KeyRing, type Proof } from '../dkim/key-ring.js';
import type { DomainRow } from '../domain-row.js';
import { slotOf, type Slot } from '../expected-records.js';
import { nextKeyCheck } from './check-schedule.js';
import type { Moment } from './domain-verdict.js';
import type { Outcome } from './judgement.js';

type Outcomes = ReadonlyMap<Slot, Outcome>;
type Turned = Pick<DomainRow, 'keys' | 'findings'> & {
  outcomes: Outcomes;
  change: 'dkim_switched' | 'dkim_retired' | null;
};

/**
 * What a look at DNS does to the keys of a domain, and what was known and is known of their records under the names that
 * they have from now on.
 */
export function turnKeys(
  domain: Pick<DomainRow, 'keys' | 'findings' | 'vouched'>,
  outcomes: Outcomes,
  at: Moment,
): Turned {
  const { ring, change } = turn(domain.keys, proofOf(domain, outcomes), at);
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

/** Milliseconds until DNS has to be looked at for the sake of the keys; null: it has not. */
export function keysDueInMs(ring: KeyRing, askedAt: Date | null, { now, intervalMs }: Moment): number | null {
  const since = (time: string | Date | null = null) =>
    time === null ? null : (now.getTime() - new Date(time).getTime()) / intervalMs;
  const [next, retired] = [keysIn(ring, 'next').at(0), keysIn(ring, 'retired').at(0)];
  const sinceRetired = since(retired?.retireAt);
  const steps = nextKeyCheck({
    sinceBegun: since(next?.createdAt),
    proved: next !== undefined && next.verifiedAt !== null,
    sinceAsked: since(askedAt),
    untilRetired: sinceRetired === null ? null : -sinceRetired,
  });
  return steps === null ? null : steps * intervalMs;
}

/** Mail that carries two signatures that receivers can check will carry two after the switch. */
function proofOf({ vouched, findings }: Pick<DomainRow, 'vouched' | 'findings'>, outcomes: Outcomes): Proof {
  const both = vouched || findings.some(({ slot, status }) => slot === 'dkim_ed25519' && status === 'verified');
  const needed: Slot[] = both ? ['dkim_next', 'dkim_ed25519_next'] : ['dkim_next'];
  const verdicts = needed.map((slot) => outcomes.get(slot)?.verdict ?? 'unanswered');
  if (verdicts.every((verdict) => verdict === 'verified')) return 'proved';
  return verdicts.some((verdict) => verdict === 'missing' || verdict === 'wrong') ? 'refuted' : 'open';
}
