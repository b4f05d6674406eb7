import { describe, expect, it } from 'vitest';
import { REQUIRED_SLOTS, type Slot } from '../model/expected-records.js';
import { stepsToNextCheck, STEPS, type CheckState } from './check-schedule.js';
import { transitionDomain, type DomainState } from './domain-transition.js';
import { missing, verified, type Outcome } from './judgement.js';

const MINUTE = 60_000;
const begin = new Date('2026-01-01T00:00:00Z');
const after = (minutes: number) => new Date(begin.getTime() + minutes * MINUTE);
const open: Outcome = { verdict: 'unanswered', error: 'SERVFAIL' };

const outcomes = (odd: Partial<Record<Slot, Outcome>> = {}) =>
  new Map([...REQUIRED_SLOTS, 'tracking' as const].map((slot) => [slot, odd[slot] ?? verified(['there'])]));
const all = (outcome: Outcome) => new Map(REQUIRED_SLOTS.map((slot) => [slot, outcome]));

/** A domain with a sequence of checks. */
class Life {
  facts: DomainState = {
    status: 'pending',
    createdAt: begin,
    askedAt: null,
    verifiedAt: null,
    warningSince: null,
    findings: [],
  };

  check(atMinute: number, found: ReadonlyMap<Slot, Outcome>) {
    const verdict = transitionDomain(this.facts, found, { now: after(atMinute), intervalMs: MINUTE });
    this.facts = { ...this.facts, ...verdict };
    return { status: verdict.status, reason: verdict.reason, nextMinutes: Number(verdict.dueInMs) / MINUTE };
  }
}

describe('stepsToNextCheck', () => {
  const pending: CheckState = { status: 'pending', age: 0, sinceAsked: null, sinceWarning: null, doubt: 'none' };
  it.each<[what: string, standing: Partial<CheckState>, steps: number]>([
    ['a new domain', {}, 1],
    ['the last minute of the first hour', { age: 59.9 }, 1],
    ['after an hour', { age: 60 }, 5],
    ['after an hour, when a check was asked for', { age: 600, sinceAsked: 10 }, 1],
    ['shortly before 72 hours', { age: STEPS.pendingPeriod - 2 }, 2],
    ['at 72 hours', { age: STEPS.pendingPeriod }, 1],
    ['failed', { status: 'failed', age: 99_999 }, 1_440],
    ['failed, asked for', { status: 'failed', sinceAsked: 59 }, 1],
    ['failed, asked for long ago', { status: 'failed', sinceAsked: 60 }, 1_440],
    ['active', { status: 'active', age: 5 }, 1_440],
    ['active, a record seems lost', { status: 'active', doubt: 'lost' }, 1],
    ['active, DNS did not answer', { status: 'active', doubt: 'unanswered' }, 5],
    ['active with a warning', { status: 'active', sinceWarning: 0 }, 5],
    ['active, the warning nearly over', { status: 'active', sinceWarning: STEPS.warningPeriod - 3 }, 3],
    ['active, the warning over and no answer', { status: 'active', sinceWarning: STEPS.warningPeriod + 10 }, 1],
  ])('%s', (_what, standing, steps) => {
    expect(stepsToNextCheck({ ...pending, ...standing })).toBe(steps);
  });
});

describe('transitionDomain', () => {
  it('activates a domain when one check finds all required records', () => {
    const life = new Life();
    expect(life.check(0, all(missing('no')))).toEqual({ status: 'pending', reason: null, nextMinutes: 1 });
    expect(life.check(1, outcomes({ dmarc: missing('no') })).status).toBe('pending');
    // Records that were found before but are unanswered now do not count.
    expect(life.check(2, outcomes({ dkim: open })).status).toBe('pending');
    expect(life.check(3, outcomes({ tracking: missing('no') }))).toEqual({
      status: 'active',
      reason: 'verified',
      nextMinutes: 1_440,
    });
  });

  it('fails a domain after 72 hours, not before', () => {
    const life = new Life();
    expect(life.check(4_319, all(open)).status).toBe('pending');
    expect(life.check(4_320, all(open))).toEqual({ status: 'failed', reason: 'failed', nextMinutes: 1_440 });
    expect(life.check(5_760, outcomes()).reason).toBe('verified');
  });

  it('needs two answers a minute apart for a lost record', () => {
    const life = new Life();
    life.check(0, outcomes());
    const lost = outcomes({ dkim: missing('gone') });
    expect(life.check(1_440, lost)).toEqual({ status: 'active', reason: null, nextMinutes: 1 });
    expect(life.facts.warningSince).toBeNull();
    // A second answer too soon, and a check without an answer: still one answer.
    expect(life.check(1_440.5, lost).reason).toBeNull();
    expect(life.check(1_441.5, outcomes({ dkim: open })).reason).toBeNull();
    expect(life.check(1_442, lost)).toEqual({ status: 'active', reason: 'warning', nextMinutes: 5 });
    expect(life.check(1_447, lost).reason).toBeNull();
    expect(life.check(1_452, outcomes())).toEqual({ status: 'active', reason: 'recovered', nextMinutes: 1_440 });
  });

  it('keeps a record that the second answer has', () => {
    const life = new Life();
    life.check(0, outcomes());
    const lost = outcomes({ spf: missing('gone') });
    for (const minute of [1_440, 2_880, 4_320]) {
      expect(life.check(minute, lost).reason).toBeNull();
      expect(life.check(minute + 1, outcomes()).nextMinutes).toBe(1_440);
    }
  });

  it('fails a domain with a warning after 24 hours, at the next answer', () => {
    const life = new Life();
    life.check(0, outcomes());
    const lost = outcomes({ dkim: missing('gone') });
    life.check(1_440, lost);
    life.check(1_441, lost);
    expect(life.check(2_880, lost).status).toBe('active');
    expect(life.check(2_881, all(open)).status).toBe('active');
    expect(life.check(2_882, lost)).toMatchObject({ status: 'failed', reason: 'failed' });
    expect(life.check(2_890, lost).reason).toBeNull();
    expect(life.check(2_891, outcomes())).toMatchObject({ status: 'active', reason: 'recovered' });
  });

  it('changes nothing while DNS fails', () => {
    const life = new Life();
    life.check(0, outcomes());
    for (let minute = 1_440; minute < 10_000; minute += 5)
      expect(life.check(minute, all(open))).toEqual({ status: 'active', reason: null, nextMinutes: 5 });
    expect(life.facts.findings.map((finding) => finding.status)).toEqual(['verified', 'verified', 'verified']);
  });
});
