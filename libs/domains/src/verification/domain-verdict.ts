import type { DomainStatus } from '../domain.entity.js';
import { REQUIRED_SLOTS, type Slot } from '../expected-records.js';
import { nextCheck, STEPS } from './check-schedule.js';
import { nextFinding, type Finding } from './finding.js';
import type { Outcome } from './judgement.js';

/** What was known of a domain before the check. */
export interface DomainFacts {
  status: DomainStatus;
  createdAt: Date;
  askedAt: Date | null;
  verifiedAt: Date | null;
  warningSince: Date | null;
  findings: readonly Finding[];
}

/** What is known after it. */
export interface DomainVerdict {
  status: DomainStatus;
  verifiedAt: Date | null;
  warningSince: Date | null;
  findings: Finding[];
  /** Until DNS is looked at again; null: never. */
  dueInMs: number | null;
  /** Of the transition that `domain.updated` tells; null: none. */
  reason: 'verified' | 'failed' | 'warning' | 'recovered' | null;
}

export interface Moment {
  now: Date;
  /** DOMAIN_CHECK_INTERVAL, of which every other time is a multiple. */
  intervalMs: number;
}

const LOST = new Set<Finding['status']>(['missing', 'wrong']);

type Step = Pick<DomainVerdict, 'status' | 'verifiedAt' | 'warningSince' | 'reason'>;

/** The transitions of D-46. Nothing gets worse without an answer of DNS that says so. */
export function judgeDomain(facts: DomainFacts, outcomes: ReadonlyMap<Slot, Outcome>, at: Moment): DomainVerdict {
  const findings = nextFindings(facts, outcomes, at);
  const step = facts.status === 'active' ? whileActive(facts, findings, at) : whileInactive(facts, outcomes, at);
  const steps = (since: Date) => (at.now.getTime() - since.getTime()) / at.intervalMs;
  const due = nextCheck({
    status: step.status,
    age: steps(facts.createdAt),
    sinceAsked: facts.askedAt && steps(facts.askedAt),
    sinceWarning: step.warningSince && steps(step.warningSince),
    doubt: doubtOf(findings, outcomes),
  });
  return { ...step, findings, dueInMs: due * at.intervalMs };
}

/** The operator answers for the domain: it stays what it is, and only what was asked about it is noted. */
export function judgeVouched(facts: DomainFacts, outcomes: ReadonlyMap<Slot, Outcome>, at: Moment): DomainVerdict {
  const { status, verifiedAt, warningSince } = facts;
  const findings = nextFindings(facts, outcomes, at);
  return { status, verifiedAt, warningSince, reason: null, findings, dueInMs: null };
}

function nextFindings(facts: DomainFacts, outcomes: ReadonlyMap<Slot, Outcome>, at: Moment): Finding[] {
  return [...outcomes].map(([slot, outcome]) => {
    const previous = facts.findings.find((finding) => finding.slot === slot);
    return nextFinding(slot, { ...(previous ? { previous } : {}), outcome, ...at });
  });
}

/** Becomes active only when every required record is seen in this very check. */
function whileInactive(facts: DomainFacts, outcomes: ReadonlyMap<Slot, Outcome>, at: Moment): Step {
  const { status, createdAt, verifiedAt } = facts;
  if (REQUIRED_SLOTS.every((slot) => outcomes.get(slot)?.verdict === 'verified'))
    return {
      status: 'active',
      verifiedAt: at.now,
      warningSince: null,
      reason: verifiedAt === null ? 'verified' : 'recovered',
    };
  const over = at.now.getTime() - createdAt.getTime() >= STEPS.giveUp * at.intervalMs;
  if (status === 'pending' && over) return { status: 'failed', verifiedAt, warningSince: null, reason: 'failed' };
  return { status, verifiedAt, warningSince: null, reason: null };
}

function whileActive({ verifiedAt, warningSince }: DomainFacts, findings: Finding[], at: Moment): Step {
  const lost = findings.filter(({ slot, status }) => REQUIRED_SLOTS.includes(slot) && LOST.has(status));
  if (lost.length === 0)
    return { status: 'active', verifiedAt, warningSince: null, reason: warningSince === null ? null : 'recovered' };
  if (warningSince === null) return { status: 'active', verifiedAt, warningSince: at.now, reason: 'warning' };
  const over = at.now.getTime() - warningSince.getTime() >= STEPS.warning * at.intervalMs;
  if (over && lost.some(({ checkedAt }) => checkedAt === at.now.toISOString()))
    return { status: 'failed', verifiedAt, warningSince: null, reason: 'failed' };
  return { status: 'active', verifiedAt, warningSince, reason: null };
}

function doubtOf(findings: Finding[], outcomes: ReadonlyMap<Slot, Outcome>): 'none' | 'lost' | 'unanswered' {
  const required = findings.filter(({ slot }) => REQUIRED_SLOTS.includes(slot));
  if (required.some(({ lostSince }) => lostSince !== null)) return 'lost';
  return REQUIRED_SLOTS.some((slot) => outcomes.get(slot)?.verdict === 'unanswered') ? 'unanswered' : 'none';
}
