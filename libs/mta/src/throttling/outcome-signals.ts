import type { Deferred, EarlierHost, Outcome } from '../delivery-outcome.js';
import { classifyReply } from '../replies/reply-classifier.js';
import type { Automation } from './plan/throttling-plan.js';

/** Longer texts are matched up to this length, which bounds the cost of one reply to some microseconds. */
const JUDGED_CHARACTERS = 2000;
/**
 * The steps in which a time-out or a lost connection means that the host is in trouble. A failed certificate does not.
 */
const TROUBLE = new Set(['connect', 'greeting', 'ehlo', 'mail', 'rcpt', 'data', 'dot']);

/** A refusal by the reply of a server: by the host of the outcome, or by one that the attempt tried before. */
export type RemoteReply = Pick<Deferred, 'phase' | 'reply' | 'remote' | 'class'>;

/** The information in the outcomes of one job about its queue. */
export interface OutcomeSignals {
  delivered: boolean;
  /** The job does not count: nothing was sent. */
  idle: boolean;
  troubled: boolean;
  /** A recipient was deferred by the reply of a server. */
  deferred: Deferred | null;
  automation: { rule: Automation; remoteReply: RemoteReply } | null;
}

export function signalsOf(outcomes: readonly Outcome[], automations: readonly Automation[]): OutcomeSignals {
  const signals: OutcomeSignals = { delivered: false, idle: true, troubled: false, deferred: null, automation: null };
  for (const outcome of outcomes) {
    signals.delivered ||= outcome.kind === 'delivered';
    signals.idle &&= isIdle(outcome);
    signals.troubled ||= outcome.kind === 'deferred' && isTrouble(outcome);
    if (outcome.kind === 'deferred' && outcome.certainty === 'answered') signals.deferred ??= outcome;
    for (const remoteReply of repliesIn(outcome)) {
      signals.troubled ||= remoteReply.reply.code === 421;
      signals.automation ??= automationFor(remoteReply, automations);
    }
  }
  return signals;
}

/** Nothing reached a server. */
function isIdle(outcome: Outcome): boolean {
  if (outcome.kind === 'abandoned') return true;
  if (outcome.kind === 'bounced') return outcome.remote.mx === null;
  return outcome.kind === 'deferred' && outcome.certainty === 'not_sent';
}

function repliesIn(outcome: Outcome): RemoteReply[] {
  if (outcome.kind === 'abandoned') return [];
  const earlier = (outcome.earlier ?? []).filter(({ reply }) => reply.code !== null).map(toRemoteReply);
  const decided =
    (outcome.kind === 'deferred' && outcome.certainty === 'answered') ||
    (outcome.kind === 'bounced' && outcome.remote.mx !== null);
  return decided ? [...earlier, outcome] : earlier;
}

const toRemoteReply = ({ phase, reply, remote }: EarlierHost): RemoteReply => ({
  phase,
  reply,
  remote,
  class: classifyReply(reply).class,
});

function isTrouble({ certainty, phase, remote }: Deferred): boolean {
  return certainty !== 'answered' && remote.mx !== null && TROUBLE.has(phase);
}

function automationFor(remoteReply: RemoteReply, automations: readonly Automation[]): OutcomeSignals['automation'] {
  const { phase, reply } = remoteReply;
  const text = reply.text.length > JUDGED_CHARACTERS ? reply.text.slice(0, JUDGED_CHARACTERS) : reply.text;
  const rule = automations.find(
    ({ codes, enhanced, phases, words, classes }) =>
      (codes === null || (reply.code !== null && codes.has(reply.code))) &&
      (enhanced === null || (reply.enhanced !== null && enhanced.has(reply.enhanced))) &&
      (phases === null || phases.has(phase)) &&
      (classes === null || classes.has(remoteReply.class)) &&
      (words === null || words.test(text)),
  );
  return rule === undefined || rule.action.kind === 'ignore' ? null : { rule, remoteReply };
}
