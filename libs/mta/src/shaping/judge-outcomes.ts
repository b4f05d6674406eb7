import type { Deferred, EarlierHost, Outcome } from '../delivery-outcome.js';
import { classifyReply } from '../reply-classifier.js';
import type { Automation } from './shaping-plan.js';

/** Longer texts are judged by their beginning, so that one reply costs at most some microseconds. */
const JUDGED_CHARACTERS = 2000;
/** The steps in which silence or a broken line says that a host is in trouble; a failing certificate says nothing of it. */
const TROUBLE = new Set(['connect', 'greeting', 'ehlo', 'mail', 'rcpt', 'data', 'dot']);

/** A refusal in a server's own words, by the outcome's host or by one that the attempt stood at before. */
export type Said = Pick<Deferred, 'phase' | 'reply' | 'remote' | 'class'>;

/** What the outcomes of one job say about the queue it was in. */
export interface Lesson {
  delivered: boolean;
  /** As if it had never begun. */
  idle: boolean;
  troubled: boolean;
  /** Some recipient was put off by the server's own words. */
  deferred: Deferred | null;
  automation: { rule: Automation; said: Said } | null;
}

export function lessonOf(outcomes: readonly Outcome[], automations: readonly Automation[]): Lesson {
  const lesson: Lesson = { delivered: false, idle: true, troubled: false, deferred: null, automation: null };
  for (const outcome of outcomes) {
    lesson.delivered ||= outcome.kind === 'delivered';
    lesson.idle &&= isIdle(outcome);
    lesson.troubled ||= outcome.kind === 'deferred' && isTrouble(outcome);
    if (outcome.kind === 'deferred' && outcome.certainty === 'answered') lesson.deferred ??= outcome;
    for (const said of wordsIn(outcome)) {
      lesson.troubled ||= said.reply.code === 421;
      lesson.automation ??= automationFor(said, automations);
    }
  }
  return lesson;
}

/** Nothing reached a server. */
function isIdle(outcome: Outcome): boolean {
  if (outcome.kind === 'abandoned') return true;
  if (outcome.kind === 'bounced') return outcome.remote.mx === null;
  return outcome.kind === 'deferred' && outcome.certainty === 'not_sent';
}

function wordsIn(outcome: Outcome): Said[] {
  if (outcome.kind === 'abandoned') return [];
  const earlier = (outcome.earlier ?? []).filter(({ reply }) => reply.code !== null).map(asSaid);
  const decided =
    (outcome.kind === 'deferred' && outcome.certainty === 'answered') ||
    (outcome.kind === 'bounced' && outcome.remote.mx !== null);
  return decided ? [...earlier, outcome] : earlier;
}

const asSaid = ({ phase, reply, remote }: EarlierHost): Said => ({
  phase,
  reply,
  remote,
  class: classifyReply(reply).class,
});

function isTrouble({ certainty, phase, remote }: Deferred): boolean {
  return certainty !== 'answered' && remote.mx !== null && TROUBLE.has(phase);
}

function automationFor(said: Said, automations: readonly Automation[]): Lesson['automation'] {
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
