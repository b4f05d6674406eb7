import type { BounceClass, BounceType, ServerReply } from './delivery-outcome.js';

/** What a reply means for the recipient, the retry and the suppression list. */
export interface Verdict {
  class: BounceClass;
  /** A 5xx: sending the same mail again would get the same answer. */
  permanent: boolean;
  bounceType: BounceType;
}

interface Rule {
  class: BounceClass;
  /** Reply codes; absent: any. */
  code?: RegExp;
  /** Enhanced code of RFC 3463, `4.2.2`; absent: any, also none. */
  enhanced?: RegExp;
  /** Words of the text; absent: any. */
  text?: RegExp;
  /** Only for these first digits; absent: both. */
  only?: 4 | 5;
}

/** Longer texts are judged by their beginning, so that one reply costs at most some microseconds. */
const JUDGED_CHARACTERS = 2000;

const REPUTATION =
  /spam|block(?:ed|list)|blacklist|black list|denylist|reputation|listed (?:in|at|by|on)|\brbl\b|dnsbl|spamhaus|barracuda|proofpoint|cloudmark|unsolicited|complaints|banned|poor|abus(?:e|ive)|\[TSS\d\d\]|\bTSS\d\d\b/i;
const NO_SUCH_USER =
  /user unknown|unknown (?:user|recipient|mailbox|address)|no such (?:user|recipient|mailbox|person|address)|doesn'?t have an? .{0,40}account|(?:user|recipient|mailbox|address|account)(?: \S{1,100})? (?:not found|does not exist|doesn'?t exist|is unknown|invalid)|(?:no|not a valid) mailbox|mailbox (?:unavailable|not available).{0,20}(?:not found|no such)|invalid (?:recipient|mailbox)|recipient (?:address )?rejected: (?:user|undeliverable|access denied)/i;
const INACTIVE =
  /(?:account|mailbox|user|address|recipient)(?: \S{1,100})? (?:is |has been )?(?:disabled|inactive|suspended|deactivated|closed|expired|discontinued)|inactive (?:user|account|mailbox|recipient)/i;
const FULL =
  /over ?quota|quota (?:exceeded|exceed|full)|exceed(?:s|ed)? .{0,30}quota|mailbox (?:is )?full|insufficient (?:disk|mailbox|storage)|out of storage|full mailbox/i;
const TOO_LARGE =
  /(?:message|mail|size).{0,40}(?:too (?:large|big)|exceeds?.{0,30}(?:size|limit|maximum))|maximum.{0,20}(?:message )?size|size limit/i;
const SENDER_AUTHENTICATION =
  /\b(?:dmarc|spf|dkim)\b|unauthenticated|not authenticated|authentication (?:check|requirements)|reverse dns|\bptr\b/i;

/**
 * Promise table "replies to class": liars first, then the enhanced code, then the bare code with its words. The first
 * match wins. Regexes have no nested repetition and bounded gaps, so each is linear in the text.
 */
const RULES: readonly Rule[] = [
  // Known liars: words that are truer than the code beside them.
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.4\.1$/, text: /recipient address rejected: access denied/i },
  { class: 'invalid_recipient', only: 5, text: /user doesn'?t have an? .{0,40}account/i },
  { class: 'policy', only: 5, enhanced: /^5\.1\.1$/, text: /\bspam\b|\bblocked\b|blacklist|blocklist|reputation/i },
  // Enhanced codes.
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.1\.[136]$/ },
  { class: 'bad_domain', only: 5, enhanced: /^5\.1\.(?:2|10)$/ },
  { class: 'bad_domain', code: /^556$/ },
  { class: 'inactive_mailbox', only: 5, enhanced: /^5\.2\.1$/ },
  { class: 'inactive_mailbox', code: /^525$/, enhanced: /^5\.7\.13$/ },
  { class: 'quota', enhanced: /^[45]\.2\.2$/ },
  { class: 'too_large', enhanced: /^[45]\.(?:3\.4|2\.3)$/ },
  { class: 'authentication', enhanced: /^[45]\.7\.(?:2[5679]|3[02]|515|[5-9])$/ },
  { class: 'routing', enhanced: /^5\.4\.(?:4|6|14)$/ },
  { class: 'expired', enhanced: /^5\.4\.7$/ },
  { class: 'transport_policy', enhanced: /^[45]\.7\.(?:10|11)$/ },
  // RFC 3463 5.7.1 is the drawer for everything: look at the words before the policy row.
  { class: 'authentication', enhanced: /^[45]\.7\.\d+$/, text: SENDER_AUTHENTICATION },
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.(?:0|7)\.[01]$/, text: NO_SUCH_USER },
  { class: 'policy', only: 5, enhanced: /^5\.7\.\d+$/ },
  { class: 'policy', only: 4, enhanced: /^4\.7\.\d+$/, text: REPUTATION },
  { class: 'content', only: 5, enhanced: /^5\.[56]\.\d+$/ },
  // Bare codes, or enhanced codes that say nothing (5.0.0, 5.2.0, 5.3.0, 5.4.0).
  { class: 'quota', code: /^552$/, text: FULL },
  { class: 'too_large', code: /^552$/, text: TOO_LARGE },
  { class: 'quota', text: FULL },
  { class: 'too_large', only: 5, text: TOO_LARGE },
  { class: 'inactive_mailbox', only: 5, text: INACTIVE },
  { class: 'invalid_recipient', only: 5, text: NO_SUCH_USER },
  { class: 'authentication', only: 5, text: SENDER_AUTHENTICATION },
  { class: 'policy', only: 5, text: REPUTATION },
  { class: 'policy', code: /^421$/, text: REPUTATION },
  { class: 'quota', code: /^552$/, enhanced: /^$/ },
  { class: 'deferral', only: 4 },
];

const HARD: ReadonlySet<BounceClass> = new Set<BounceClass>(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);

/**
 * Reads a reply by the enhanced code first and the words second; the first matching row wins. The code's first digit
 * alone decides `permanent` (RFC 5321 §4.2.1), not the enhanced code. An unknown 5xx is `undetermined`.
 */
export function classifyReply(reply: ServerReply): Verdict {
  const digit = leadingDigit(reply);
  const text = reply.text.length > JUDGED_CHARACTERS ? reply.text.slice(0, JUDGED_CHARACTERS) : reply.text;
  const enhanced = reply.enhanced ?? '';
  const code = reply.code === null ? '' : String(reply.code);
  const rule = RULES.find(
    (row) =>
      (row.only === undefined || row.only === digit) &&
      (row.code === undefined || row.code.test(code)) &&
      (row.enhanced === undefined || row.enhanced.test(enhanced)) &&
      (row.text === undefined || row.text.test(text)),
  );
  const found = rule?.class ?? 'undetermined';
  return { class: found, permanent: digit === 5, bounceType: bounceTypeOf(found) };
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
