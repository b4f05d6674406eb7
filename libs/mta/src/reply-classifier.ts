import type { BounceClass, BounceType, ServerReply } from './delivery-outcome.js';
import { foldedText } from './folded-text.js';
import { REPLY_RULES } from './reply-rules.js';
import { ABOUT_RECIPIENT, ABOUT_SENDER, OWN_ACCOUNT } from './reply-words.js';
import { saidText } from './said-text.js';

/** What a reply means for the recipient, the retry and the suppression list. */
export interface Verdict {
  class: BounceClass;
  /** A 5xx: sending the same mail again would get the same answer. */
  permanent: boolean;
  bounceType: BounceType;
}

const HARD: ReadonlySet<BounceClass> = new Set<BounceClass>(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);

/**
 * Whom the words are about: `sender` before a recipient was named (MAIL), `several` when one answer to the content is
 * for more than one recipient.
 */
export type ReplySubject = 'sender' | 'recipient' | 'several';

/**
 * Reads a reply by `REPLY_RULES`; the first matching row wins. The code's first digit alone decides `permanent` (RFC 5321
 * §4.2.1), not the enhanced code. An unknown 5xx is `undetermined`. No recipient is dead because of words that are not
 * about it alone.
 */
export function classifyReply(reply: ServerReply, subject: ReplySubject = 'recipient'): Verdict {
  const digit = leadingDigit(reply);
  const { words, names } = saidText(foldedText(reply.text));
  // RFC 3463 §2 gives both the same first digit; an enhanced code that contradicts its reply says nothing.
  const enhanced = reply.enhanced?.startsWith(`${digit}.`) ? reply.enhanced : '';
  const code = reply.code === null ? '' : String(reply.code);
  const rule = REPLY_RULES.find(
    (row) =>
      (row.only === undefined || row.only === digit) &&
      (row.code === undefined || row.code.test(code)) &&
      (row.enhanced === undefined || row.enhanced.test(enhanced)) &&
      (row.text === undefined || row.text.test(words)) &&
      (row.names === undefined || row.names.test(names)),
  );
  const found = aboutSubject(rule?.class ?? 'undetermined', subject, words);
  return { class: found, permanent: digit === 5, bounceType: bounceTypeOf(found) };
}

/** Refusals of our own login (RFC 4954 §6), or of the account it belongs to (RFC 5248 §2.4). */
const LOGIN_CODES = new Set([525, 530, 534, 535, 538]);

/**
 * Whether a smarthost's refusal may mean the account we log in with: the operator's concern, not the recipient's. Who is
 * "disabled" there is the recipient only if the words say so.
 */
export function mayMeanOurLogin(reply: ServerReply): boolean {
  if (reply.code !== null && LOGIN_CODES.has(reply.code)) return true;
  const { words } = saidText(foldedText(reply.text));
  if (OWN_ACCOUNT.test(words)) return true;
  const disabled = reply.enhanced === '5.7.13' || classifyReply(reply).class === 'inactive_mailbox';
  return disabled && !ABOUT_RECIPIENT.test(words);
}

function aboutSubject(found: BounceClass, subject: ReplySubject, words: string): BounceClass {
  if (!HARD.has(found)) return found;
  if (subject === 'several') return 'undetermined';
  if (subject === 'recipient' && !ABOUT_SENDER.test(words)) return found;
  return found === 'inactive_mailbox' ? 'policy' : 'authentication';
}

/** 5 or 4; 2xx, 3xx, garbage and silence where an answer was due are temporary. */
function leadingDigit(reply: ServerReply): 4 | 5 {
  if (reply.code !== null) return reply.code >= 500 && reply.code <= 599 ? 5 : 4;
  return reply.enhanced?.startsWith('5.') ? 5 : 4;
}

export function bounceTypeOf(found: BounceClass): BounceType {
  if (found === 'undetermined') return 'undetermined';
  return HARD.has(found) ? 'hard' : 'soft';
}
