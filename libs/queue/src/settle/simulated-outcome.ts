import type { Simulation } from '#libs/contracts';
import type { DeliveryJob } from '#libs/emails';
import { NO_REMOTE } from '#libs/mta';
import type { LateReport } from './late-bounce.js';
import { recipientOutcome, type RecipientOutcome } from './recipient-outcome.js';
import { databaseClock } from '#libs/kernel';

/** One recipient and its simulated outcome. */
export interface SimulatedRecipient {
  recipient: DeliveryJob['recipients'][number];
  simulation: Simulation;
  startedAt: Date;
  /** The URL of a simulated click. */
  clickUrl: string;
}

type Answer = { code: number; enhanced: string; text: string };

const TAKEN: Answer = { code: 250, enhanced: '2.0.0', text: 'simulated, not sent' };
const NO_SUCH_USER: Answer = { code: 550, enhanced: '5.1.1', text: 'simulated: no such user' };
const MAILBOX_FULL: Answer = { code: 552, enhanced: '5.2.2', text: 'simulated: mailbox full' };
const TRY_LATER: Answer = { code: 451, enhanced: '4.7.1', text: 'simulated: try again later' };

/** The outcome that a real server's reply would have led to. `suppressed` has none, because nothing is attempted. */
export function simulatedOutcomeOf(of: SimulatedRecipient, scheduleMs: readonly number[]): RecipientOutcome {
  return { ...outcomeOf(of, scheduleMs), simulated: { report: reportOf(of.simulation.result, of.clickUrl) } };
}

function outcomeOf(
  { recipient, simulation, startedAt }: SimulatedRecipient,
  scheduleMs: readonly number[],
): RecipientOutcome {
  const common = { key: String(recipient.ordinal), remote: NO_REMOTE, startedAt, endedAt: databaseClock.date() };
  const refused = { ...common, phase: 'rcpt' } as const;
  switch (simulation.result) {
    case 'bounced': {
      const outcome = { ...refused, kind: 'bounced', class: 'invalid_recipient', bounceType: 'hard' } as const;
      return recipientOutcome(recipient, { ...outcome, reply: NO_SUCH_USER }, scheduleMs);
    }
    case 'softbounced': {
      const outcome = { ...refused, kind: 'bounced', class: 'quota', bounceType: 'soft' } as const;
      return recipientOutcome(recipient, { ...outcome, reply: MAILBOX_FULL }, scheduleMs);
    }
    case 'deferred':
    case 'failed': {
      const outcome = { ...refused, kind: 'deferred', certainty: 'answered', class: 'deferral' } as const;
      // As if the lifetime had passed without another reply.
      const left = simulation.result === 'failed' ? { ...recipient, expiresAt: common.endedAt } : recipient;
      return recipientOutcome(left, { ...outcome, reply: TRY_LATER }, scheduleMs);
    }
    case 'delivered':
    case 'suppressed':
    case 'complained':
    case 'opened':
    case 'clicked':
      return recipientOutcome(recipient, { ...common, kind: 'delivered', reply: TAKEN }, scheduleMs);
  }
}

function reportOf(result: Simulation['result'], clickUrl: string): LateReport | null {
  const visitor = { ip: null, userAgent: null, botKind: null };
  switch (result) {
    case 'complained':
      return { kind: 'complained', feedbackType: 'abuse', reporter: null, userAgent: null };
    case 'opened':
      return { kind: 'opened', count: 1, ...visitor };
    case 'clicked':
      return { kind: 'clicked', url: clickUrl, ...visitor };
    case 'delivered':
    case 'bounced':
    case 'softbounced':
    case 'deferred':
    case 'failed':
    case 'suppressed':
      return null;
  }
}
