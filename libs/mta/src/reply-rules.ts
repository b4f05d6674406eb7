import type { BounceClass } from './delivery-outcome.js';
import {
  AUTHENTICATION,
  EXPIRED,
  GREYLISTED,
  INACTIVE,
  LOOP,
  MAILBOX_FULL,
  MALFORMED,
  NO_SUCH_DOMAIN,
  NO_SUCH_USER,
  POLICY,
  RATE,
  REPUTATION,
  SENDER_FAULT,
  SENDING_QUOTA,
  TLS_NEEDED,
  TOO_LARGE,
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
  /** Words of the folded text; absent: any. */
  text?: RegExp;
}

/** Codes that only say "no": none, x.0.0, x.1.0, x.2.0, x.3.0, x.5.0 and x.7.0/x.7.1, the drawer for everything. */
const VAGUE = /^$|^[45]\.(?:[01235]\.0|7\.[01])$/;

/** Promise table "replies to class". The first row that matches wins. */
export const REPLY_RULES: readonly ReplyRule[] = [
  // 1. Known liars, whose words are truer than their code. Everything that is our own fault or the sender's comes first:
  //    no later row may put the recipient on the suppression list for it.
  { class: 'policy', enhanced: /^[45]\.1\.[78]$/, text: REPUTATION }, // Exchange Online, account found sending spam
  { class: 'authentication', enhanced: /^[45]\.1\.[78]$/ }, // RFC 3463 §3.2: address or domain of the sender
  { class: 'authentication', text: SENDER_FAULT }, // "sender address rejected: user unknown" beside any code
  { class: 'authentication', code: /^53[458]$/ }, // RFC 4954 §6: our login, also with "invalid user"
  { class: 'deferral', only: 4, text: GREYLISTED }, // before words like spam and block in a product's name
  { class: 'policy', only: 5, enhanced: /^5\.7\.(?!1$|0$)\d+$/, text: /allowed senders|only members|restrict/ },
  { class: 'inactive_mailbox', only: 5, enhanced: /^5\.[12]\.[01]$/, text: /blocked due to inactivity/ }, // Free
  { class: 'policy', only: 5, text: SENDING_QUOTA },
  { class: 'deferral', only: 4, text: SENDING_QUOTA },
  { class: 'quota', text: MAILBOX_FULL }, // Orange says 5.1.1, others 5.5.0 and 5.7.1
  { class: 'routing', only: 5, text: WRONG_DOOR }, // 5.7.1 and 5.1.2 of servers that do not know the domain
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.4\.1$/, text: /recipient address(?:es)? rejected ?: access/ }, // Exchange Online
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.5\.0$/, text: /action not taken: mailbox unavailable/ }, // Outlook.com
  {
    class: 'invalid_recipient',
    only: 5,
    enhanced: /^5\.1\.10$/,
    text: /recipientnotfound|recipient [^ ]{1,100} not found/,
  }, // Exchange
  { class: 'policy', only: 5, enhanced: /^5\.[12]\.\d+$/, text: REPUTATION }, // "5.1.1 blocked": nothing about the recipient
  { class: 'policy', only: 5, enhanced: /^5\.[12]\.\d+$/, text: POLICY },
  { class: 'policy', only: 5, enhanced: /^5\.2\.1$/, text: RATE }, // Gmail: receives mail at a rate that …
  {
    class: 'policy',
    only: 5,
    enhanced: /^5\.(?:4|7)\.[1567]$/,
    text: /sending (?:activity|limit)|email policy|rejected by destination/,
  }, // Zoho, Gmail

  // 2. The enhanced code, where it says something.
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.1\.(?:[136]|351)$/ },
  { class: 'bad_domain', only: 5, enhanced: /^5\.1\.(?:2|10)$/ }, // RFC 7505: 5.1.10 is a null MX
  { class: 'bad_domain', code: /^556$/ },
  { class: 'inactive_mailbox', only: 5, enhanced: /^5\.2\.1$/ },
  { class: 'inactive_mailbox', only: 5, enhanced: /^5\.7\.13$/ }, // RFC 5248: user account disabled
  { class: 'invalid_recipient', only: 5, enhanced: /^5\.7\.17$/ }, // RFC 7293: the mailbox has a new owner
  { class: 'bad_domain', only: 5, enhanced: /^5\.7\.18$/ }, // RFC 7293: the domain has
  { class: 'quota', enhanced: /^[45]\.2\.2$/ },
  { class: 'too_large', enhanced: /^[45]\.(?:3\.4|2\.3)$/ },
  { class: 'authentication', enhanced: /^[45]\.7\.(?:2[0-79]|3[02]|509|515|[5-9])$/ }, // RFC 7372, Gmail, Outlook.com
  { class: 'transport_policy', enhanced: /^[45]\.7\.(?:10|11)$/ }, // RFC 5248: encryption needed
  { class: 'routing', only: 5, enhanced: /^5\.4\.(?:4|6|14|310)$/ },
  { class: 'routing', only: 5, enhanced: /^5\.2\.4$/ }, // a mailing list that cannot be expanded
  { class: 'expired', enhanced: /^[45]\.4\.7$|^5\.4\.300$/ },

  // 3. x.7.x and vague codes: the words decide, before the drawer is closed with the policy row.
  { class: 'transport_policy', text: TLS_NEEDED },
  { class: 'authentication', enhanced: /^$|^[45]\.[017]\.\d+$/, text: AUTHENTICATION },
  { class: 'content', only: 5, enhanced: VAGUE, text: MALFORMED },
  { class: 'content', only: 5, enhanced: /^5\.7\.512$/ }, // Exchange Online: no valid From:
  { class: 'policy', only: 4, text: REPUTATION },
  { class: 'deferral', only: 4 },

  // From here on only permanent replies.
  { class: 'too_large', enhanced: VAGUE, text: TOO_LARGE },
  { class: 'routing', enhanced: VAGUE, text: LOOP },
  { class: 'expired', enhanced: VAGUE, text: EXPIRED },
  { class: 'bad_domain', enhanced: VAGUE, text: NO_SUCH_DOMAIN },
  { class: 'policy', enhanced: VAGUE, text: POLICY },
  { class: 'policy', enhanced: VAGUE, text: REPUTATION }, // before the recipient's rows: in doubt nobody is suppressed
  { class: 'inactive_mailbox', enhanced: VAGUE, text: INACTIVE },
  { class: 'invalid_recipient', enhanced: VAGUE, text: NO_SUCH_USER },
  { class: 'policy', enhanced: VAGUE, text: RATE },
  { class: 'policy', enhanced: /^5\.7\.\d+$/ },
  { class: 'content', enhanced: /^5\.(?:[56]\.\d+|3\.3)$/ },
  { class: 'quota', code: /^552$/, enhanced: /^$/ }, // RFC 5321 §4.2.3: exceeded storage allocation
  { class: 'content', code: /^(?:50[0-4]|555)$/, enhanced: /^$/ }, // RFC 5321 §4.2.2: syntax and sequence
];
