import type { BounceClass } from './delivery-outcome.js';
import {
  ABOUT_SENDER,
  AUTHENTICATION,
  EXPIRED,
  GREYLISTED,
  INACTIVE,
  LOOP,
  MAILBOX_FULL,
  MALFORMED,
  NO_SUCH_DOMAIN,
  NO_SUCH_USER,
  OWN_ACCOUNT,
  POLICY,
  RATE,
  RECIPIENT_NOT_FOUND,
  REFUSED,
  REPUTATION,
  SENDER_FAULT,
  SENDING_QUOTA,
  TLS_NEEDED,
  TOO_LARGE,
  UNWANTED_SENDING,
  WRONG_DOOR,
} from './reply-words.js';

export interface ReplyRule {
  class: BounceClass;
  /** Only for replies that are temporary (4) or permanent (5); absent: both. */
  only?: 4 | 5;
  /** Reply codes; absent: any. */
  code?: RegExp;
  /** Enhanced codes of RFC 3463, '' where there is none; absent: any. */
  enhanced?: RegExp;
  /** Its words, without what it names; absent: any. */
  text?: RegExp;
  /** The host names and URLs in it; absent: any. */
  names?: RegExp;
}

/** Codes that only say "no": none, x.0.0, x.1.0, x.2.0, x.3.0, x.5.0 and x.7.0/x.7.1, the drawer for everything. */
const VAGUE = /^$|^[45]\.(?:[01235]\.0|7\.[01])$/;

/**
 * Words that are truer than the code beside them. The sender's faults and ours come before everything that could put the
 * recipient on the suppression list.
 */
const LIARS: readonly ReplyRule[] = [
  // Exchange Online: 5.1.8 for an account that was found sending spam.
  { class: 'policy', enhanced: /^[45]\.1\.[78]$/, text: REPUTATION },
  // RFC 3463 §3.2: the sender's address, or its domain.
  { class: 'authentication', enhanced: /^[45]\.1\.[78]$/ },
  // "Sender address rejected: user unknown" beside any code, also 5.1.1.
  { class: 'authentication', text: SENDER_FAULT },
  // RFC 4954 §6: our login; the words may well be "invalid user".
  { class: 'authentication', code: /^53[458]$/ },
  // "Your account has been suspended": whoever sends, not whoever receives.
  { class: 'policy', only: 5, text: OWN_ACCOUNT },
  // Before words like spam and block in the name of a product.
  { class: 'deferral', only: 4, text: GREYLISTED },
  // Exchange: 5.7.12x and 5.7.13x, who may write to a group; "not authenticated" means a member there.
  { class: 'policy', only: 5, enhanced: /^5\.7\.\d\d+$/, text: /allowed senders|only members|restrict/ },
  // Free: "blocked" in the sense of not used any more.
  { class: 'inactive_mailbox', only: 5, enhanced: /^5\.[12]\.[01]$/, text: /blocked due to inactivity/ },
  // A quota of mails, not of the mailbox.
  { class: 'policy', only: 5, text: SENDING_QUOTA },
  { class: 'deferral', only: 4, text: SENDING_QUOTA },
  // Orange says 5.1.1, others 5.5.0 or 5.7.1.
  { class: 'quota', text: MAILBOX_FULL },
  // 5.7.1, 5.1.2 and 550 of servers that do not know the recipient's domain.
  { class: 'routing', only: 5, text: WRONG_DOOR },
  // Exchange Online rejects unknown recipients at its edge.
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.4\.1$/, text: /recipient address(?:es)? rejected ?: access/ },
  // Outlook.com.
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.5\.0$/, text: /action not taken: mailbox unavailable/ },
  // Exchange uses the code of a null MX for a recipient.
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.1\.10$/, text: RECIPIENT_NOT_FOUND },
  // "5.1.1 blocked", "5.2.1 mail rejected by policy", "5.1.1 SPF fail": nothing about the recipient.
  { class: 'authentication', only: 5, enhanced: /^5\.[12]\.\d+$/, text: AUTHENTICATION },
  { class: 'transport_policy', only: 5, enhanced: /^5\.[12]\.\d+$/, text: TLS_NEEDED },
  { class: 'too_large', only: 5, enhanced: /^5\.[12]\.\d+$/, text: TOO_LARGE },
  { class: 'policy', only: 5, enhanced: /^5\.[12]\.\d+$/, text: REPUTATION },
  { class: 'policy', only: 5, enhanced: /^5\.[12]\.\d+$/, text: POLICY },
  // Gmail: "receives mail at a rate that …".
  { class: 'policy', only: 5, enhanced: /^5\.[12]\.[01]$/, text: RATE },
  { class: 'policy', only: 5, enhanced: /^5\.[12]\.\d+$/, text: GREYLISTED },
  // "5.1.1 access denied", "5.1.1 see https://blocklist.example": where no words speak of the recipient, the others count.
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.[12]\.\d+$/, text: NO_SUCH_USER },
  { class: 'inactive_mailbox', only: 5, enhanced: /^5\.[12]\.\d+$/, text: INACTIVE },
  { class: 'policy', only: 5, enhanced: /^5\.[12]\.\d+$/, text: REFUSED },
  { class: 'policy', only: 5, enhanced: /^5\.[12]\.\d+$/, names: REPUTATION },
  // Zoho and Gmail under 5.4.1, 5.4.5, 5.4.6 and 5.7.7.
  { class: 'policy', only: 5, enhanced: /^5\.(?:4\.[156]|7\.7)$/, text: UNWANTED_SENDING },
];

/** The enhanced code of RFC 3463 and its registry, where it says something. */
const CODES: readonly ReplyRule[] = [
  // Bad mailbox, bad syntax, moved without a trace; 5.1.351 is Exchange Online's word for 5.1.1.
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.1\.(?:[136]|351)$/ },
  // Bad system address; RFC 7505: null MX.
  { class: 'bad_domain', only: 5, enhanced: /^5\.1\.(?:2|10)$/ },
  { class: 'bad_domain', code: /^556$/ },
  { class: 'inactive_mailbox', only: 5, enhanced: /^5\.2\.1$/ },
  // RFC 5248: account disabled. Beside other codes it may be the account that sends.
  { class: 'inactive_mailbox', code: /^525$/, enhanced: /^5\.7\.13$/ },
  { class: 'inactive_mailbox', only: 5, enhanced: /^5\.7\.13$/, text: /recipient/ },
  // RFC 7293: mailbox or domain has a new owner.
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.7\.17$/ },
  { class: 'bad_domain', only: 5, enhanced: /^5\.7\.18$/ },
  { class: 'quota', enhanced: /^[45]\.2\.2$/ },
  { class: 'too_large', enhanced: /^[45]\.(?:3\.4|2\.3)$/ },
  // RFC 7372 (20–27), Gmail (24–32), Microsoft (509, 515), RFC 3463 and 4954 (5–9).
  { class: 'authentication', enhanced: /^[45]\.7\.(?:2[0-79]|3[02]|509|515|[5-9])$/ },
  // RFC 5248: encryption needed.
  { class: 'transport_policy', enhanced: /^[45]\.7\.(?:10|11)$/ },
  // No route, a loop; a list that cannot be expanded.
  { class: 'routing', only: 5, enhanced: /^5\.(?:4\.(?:4|6|14|310)|2\.4)$/ },
  { class: 'expired', only: 5, enhanced: /^5\.4\.(?:7|300|31[26])$/ },
];

/** Codes that say little: the words decide. */
const WORDS: readonly ReplyRule[] = [
  { class: 'transport_policy', text: TLS_NEEDED },
  { class: 'authentication', enhanced: /^$|^[45]\.[017]\.\d+$/, text: AUTHENTICATION },
  { class: 'policy', only: 4, text: REPUTATION },
  { class: 'policy', only: 4, names: REPUTATION },
  // Whatever else is temporary.
  { class: 'deferral', only: 4 },
  // From here on only permanent replies. RFC 5322 is quoted beside 5.7.1 by Gmail, beside 5.7.512 by Microsoft.
  { class: 'content', enhanced: VAGUE, text: MALFORMED },
  { class: 'content', enhanced: /^5\.7\.512$/ },
  { class: 'too_large', enhanced: VAGUE, text: TOO_LARGE },
  { class: 'routing', enhanced: VAGUE, text: LOOP },
  { class: 'expired', enhanced: VAGUE, text: EXPIRED },
  { class: 'bad_domain', enhanced: VAGUE, text: NO_SUCH_DOMAIN },
  // Before the recipient's rows: in doubt nobody is suppressed.
  { class: 'policy', enhanced: VAGUE, text: POLICY },
  { class: 'policy', enhanced: VAGUE, text: REPUTATION },
  { class: 'inactive_mailbox', enhanced: VAGUE, text: INACTIVE },
  { class: 'invalid_recipient', enhanced: VAGUE, text: NO_SUCH_USER },
  { class: 'policy', enhanced: VAGUE, text: RATE },
  { class: 'policy', enhanced: VAGUE, names: REPUTATION },
  { class: 'policy', enhanced: /^5\.7\.\d+$/ },
  // Protocol and media; 5.3.3: the server has not got what we asked for.
  { class: 'content', enhanced: /^5\.(?:[56]\.\d+|3\.3)$/ },
  // RFC 5321 §4.2.3: exceeded storage allocation.
  { class: 'quota', code: /^552$/, enhanced: /^$/ },
  // RFC 5321 §4.2.2: syntax and sequence.
  { class: 'content', code: /^(?:50[0-4]|555)$/, enhanced: /^$/ },
  // "5.1.0 address in MAIL FROM unknown", in whatever words.
  { class: 'authentication', enhanced: VAGUE, text: ABOUT_SENDER },
];

/** Promise table "replies to class": the first row that matches wins. */
export const REPLY_RULES: readonly ReplyRule[] = [...LIARS, ...CODES, ...WORDS];
