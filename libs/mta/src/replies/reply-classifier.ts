import type { BounceClass, BounceType, ServerReply } from '../delivery-outcome.js';
import { foldText, splitReplyText, type ReplyText } from './reply-text.js';
import { replyPhrase } from './reply-phrases.js';
import { REPLY_RULES, type ReplyRule } from './reply-rules.js';

/** The meaning of a reply for the recipient, the retry and the suppression list. */
export interface ReplyClassification {
  class: BounceClass;
  /** A 5xx reply: the same message would be refused again. */
  permanent: boolean;
  bounceType: BounceType;
}

const ABOUT_SENDER = replyPhrase('about_sender');
const ABOUT_RECIPIENT = replyPhrase('about_recipient');
const SENDING_ACCOUNT = replyPhrase('sending_account');
const HARD: ReadonlySet<BounceClass> = new Set<BounceClass>(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);

/**
 * The subject of a reply: `sender` before a recipient was named (MAIL), `recipient` for the reply to RCPT, `content` for
 * the reply to the content of a message to one recipient, `several` if that message has more than one.
 */
export type ReplySubject = 'sender' | 'recipient' | 'content' | 'several';

/**
 * Classifies a reply by `REPLY_RULES`; the first matching rule wins. The first digit of the code alone decides
 * `permanent` (RFC 5321 §4.2.1), not the enhanced code. An unknown 5xx is `undetermined`. A reply that is not about
 * this recipient alone never gives a hard bounce, nor does one with words that raise a doubt. After RCPT a reply is
 * proof; to the content, which filters and other servers judge too, only code and words together are.
 */
export function classifyReply(reply: ServerReply, subject: ReplySubject = 'recipient'): ReplyClassification {
  const digit = leadingDigit(reply);
  const text = splitReplyText(foldText(reply.text));
  // RFC 3463 §2: both codes have the same first digit. An enhanced code that contradicts the reply code is ignored.
  const given = reply.enhanced ?? '';
  const [enhanced, stray] = given.startsWith(`${digit}.`) ? [given, ''] : ['', given];
  const judged = { code: reply.code, digit, enhanced, stray, ...text };
  const found = classOf(judged, subject);
  const hint = HARD.has(found) && isHint(found, judged, subject);
  return { class: found, permanent: digit === 5, bounceType: hint ? 'undetermined' : bounceTypeOf(found) };
}

function classOf(judged: JudgedReply, subject: ReplySubject): BounceClass {
  const first = firstMatch(REPLY_RULES.rules, judged)?.class ?? 'undetermined';
  const doubt = HARD.has(first) && subject !== 'sender' ? firstMatch(REPLY_RULES.doubts, judged) : undefined;
  return doubt?.class ?? aboutSubject(first, subject, judged.words);
}

/** A reply in the form that rules compare. */
interface JudgedReply extends ReplyText {
  code: number | null;
  digit: 4 | 5;
  /** '' where there is none. */
  enhanced: string;
  /** An enhanced code with another first digit than the reply code; '' where there is none. */
  stray: string;
}

const firstMatch = (rules: readonly ReplyRule[], reply: JudgedReply): ReplyRule | undefined =>
  rules.find((rule) => isMatch(rule, reply));

const isHint = (found: BounceClass, reply: JudgedReply, subject: ReplySubject): boolean =>
  confirms(REPLY_RULES.hints, found, reply) || (subject === 'content' && !confirms(REPLY_RULES.proof, found, reply));

const confirms = (rules: readonly ReplyRule[], found: BounceClass, reply: JudgedReply): boolean =>
  rules.some((rule) => rule.class === found && isMatch(rule, reply));

const isMatch = (rule: ReplyRule, reply: JudgedReply): boolean => matchesCodes(rule, reply) && matchesText(rule, reply);

function matchesCodes(rule: ReplyRule, { code, digit, enhanced, stray }: JudgedReply): boolean {
  return (
    (rule.digit === undefined || rule.digit === digit) &&
    (rule.codes === undefined || (code !== null && rule.codes.includes(code))) &&
    (rule.enhanced === undefined || rule.enhanced.test(enhanced)) &&
    (rule.stray === undefined || rule.stray.test(stray))
  );
}

function matchesText(rule: ReplyRule, { words, names, isAscii }: JudgedReply): boolean {
  return (
    (rule.text === undefined || rule.text.test(words, isAscii)) &&
    (rule.names === undefined || rule.names.test(names, isAscii))
  );
}

/** Refusals of our own login (RFC 4954 §6), or of its account (RFC 5248 §2.4). */
const LOGIN_CODES = new Set([525, 530, 534, 535, 538]);

/**
 * Whether the refusal of a smarthost may concern the account that we log in with, which the operator must fix.
 * "Disabled" refers to the recipient only if the text mentions the recipient.
 */
export function mayConcernOurLogin(reply: ServerReply): boolean {
  if (reply.code !== null && LOGIN_CODES.has(reply.code)) return true;
  const { words } = splitReplyText(foldText(reply.text));
  if (SENDING_ACCOUNT.test(words)) return true;
  const disabled = reply.enhanced === '5.7.13' || classifyReply(reply).class === 'inactive_mailbox';
  return disabled && !ABOUT_RECIPIENT.test(words);
}

function aboutSubject(found: BounceClass, subject: ReplySubject, words: string): BounceClass {
  if (!HARD.has(found)) return found;
  if (subject === 'several') return 'undetermined';
  if (subject !== 'sender' && !ABOUT_SENDER.test(words)) return found;
  return found === 'inactive_mailbox' ? 'policy' : 'authentication';
}

/** 5 or 4. 2xx, 3xx, malformed replies and missing replies count as temporary. */
function leadingDigit(reply: ServerReply): 4 | 5 {
  if (reply.code !== null) return reply.code >= 500 && reply.code <= 599 ? 5 : 4;
  return reply.enhanced?.startsWith('5.') ? 5 : 4;
}

export function bounceTypeOf(found: BounceClass): BounceType {
  if (found === 'undetermined') return 'undetermined';
  return HARD.has(found) ? 'hard' : 'soft';
}
