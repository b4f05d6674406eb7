import type { Bounced, Deferred, Outcome } from '../delivery-outcome.js';
import type { Automation } from './shaping-plan.js';

/** Longer texts are judged by their beginning, so that one reply costs at most some microseconds. */
const JUDGED_CHARACTERS = 2000;
/** The steps in which silence or a broken line says that a host is in trouble; a failing certificate says nothing of it. */
const TROUBLE = new Set(['connect', 'greeting', 'ehlo', 'mail', 'rcpt', 'data', 'dot']);

/** What the outcomes of one job say about the queue it was in. */
export interface Lesson {
  delivered: boolean;
  /** As if it had never begun. */
  idle: boolean;
  troubled: boolean;
  /** Some recipient was put off by the server's own words. */
  deferred: Deferred | null;
  automation: { rule: Automation; said: Deferred | Bounced } | null;
}

export function lessonOf(outcomes: readonly Outcome[], automations: readonly Automation[]): Lesson {
  const lesson: Lesson = { delivered: false, idle: true, troubled: false, deferred: null, automation: null };
  for (const outcome of outcomes) {
    lesson.delivered ||= outcome.kind === 'delivered';
    lesson.idle &&= isIdle(outcome);
    lesson.troubled ||= outcome.kind === 'deferred' && isTrouble(outcome);
    const said = wordsIn(outcome);
    if (said === null) continue;
    if (said.kind === 'deferred') lesson.deferred ??= said;
    lesson.automation ??= automationFor(said, automations);
  }
  return lesson;
}

/** Nothing reached a server. */
function isIdle(outcome: Outcome): boolean {
  if (outcome.kind === 'abandoned') return true;
  if (outcome.kind === 'bounced') return outcome.remote.mx === null;
  return outcome.kind === 'deferred' && outcome.certainty === 'not_sent';
}

/** A refusal in a server's own words; null for all else. */
function wordsIn(outcome: Outcome): Deferred | Bounced | null {
  if (outcome.kind === 'deferred') return outcome.certainty === 'answered' ? outcome : null;
  return outcome.kind === 'bounced' && outcome.remote.mx !== null ? outcome : null;
}

function isTrouble({ certainty, phase, reply, remote }: Deferred): boolean {
  if (certainty === 'answered') return reply.code === 421;
  return remote.mx !== null && TROUBLE.has(phase);
}

function automationFor(said: Deferred | Bounced, automations: readonly Automation[]): Lesson['automation'] {
  const { phase, reply } = said;
  const text = reply.text.length > JUDGED_CHARACTERS ? reply.text.slice(0, JUDGED_CHARACTERS) : reply.text;
  const rule = automations.find(
    ({ codes, enhanced, phases, words, classes }) =>
      (codes === null || (reply.code !== null && codes.has(reply.code))) &&
      (enhanced === null || (reply.enhanced !== null && enhanced.has(reply.enhanced))) &&
      (phases === null || phases.has(phase)) &&
      (classes === null || classes.has(said.class)) &&
      (words === null || words.test(text)),
  );
  return rule === undefined || rule.action.kind === 'ignore' ? null : { rule, said };
}
