import { EMAIL_STATUSES, fields, RECIPIENT_TYPES, sentences, type Shape, type ViewOf } from '#libs/contracts';
import { emailShapes } from '#libs/emails';
import type { WaitReason } from '#libs/mta';

/**
 * `schedule`: the requested time. `account`: the end of its block, debt or pause. `worker`: a free worker. `answer`: the
 * receiving server, right now. `retry`: the next attempt. `shaping`: the rate limit of its queue, or DNS; `held` has
 * the details.
 */
export const WAITS = [
  'schedule',
  'account',
  'worker',
  'answer',
  'retry',
  'shaping',
] as const satisfies (keyof typeof sentences.WAITING_FOR)[];
export type Wait = (typeof WAITS)[number];

const WAIT_KINDS = [
  'concurrency',
  'rate',
  'slow_down',
  'suspended',
  'warm_up',
  'dns',
] as const satisfies (WaitReason['kind'] & keyof typeof sentences.HOLDS)[];

const held = {
  name: 'Held',
  about: 'A limit that holds a recipient back.',
  fields: {
    kind: fields.choice(
      WAIT_KINDS,
      '`concurrency`: the limit of parallel deliveries is reached; `rate`: the rate limit is reached; `slow_down`, ' +
        '`suspended`: caused by a server reply; `warm_up`: the source address is still warming up there; `dns`: no DNS ' +
        'resolver answers',
    ),
    queue: fields.text('A mailbox provider, or `domain:` and a domain', 'google'),
    source: fields.text('The source address that the message would be sent from', '198.51.100.7').orNull(),
    mx: fields.text('The server whose reply caused it', 'mx1.example.com').orNull(),
    words: fields
      .text(
        'The reply, possibly to another message, with addresses removed',
        '421 4.7.28 unusual rate of mail from your address',
      )
      .orNull(),
  },
} as const satisfies Shape;
export interface HeldView extends ViewOf<typeof held> {}

const recipientExplanation = {
  name: 'RecipientExplanation',
  about: 'Why a recipient is in its state, and what happens next.',
  fields: {
    address: fields.text('The bare address', 'user@example.com'),
    type: fields.choice(RECIPIENT_TYPES, 'The field that names the recipient'),
    state: fields.choice(EMAIL_STATUSES, 'The status for this recipient'),
    waiting_for: fields
      .choice(
        WAITS,
        '`schedule`: its scheduled time; `account`: the end of a block or overdue payment; `worker`: a free worker; ' +
          '`answer`: a reply of the receiving server to the attempt in progress; `retry`: the next attempt; `shaping`: the ' +
          'sending limits of its queue. Null: nothing more will happen',
      )
      .orNull(),
    until: fields.time('Until when it waits; null if unknown').orNull(),
    because: fields.text(
      'A human-readable sentence with the server reply that caused the wait',
      'mx1.example.com answered: 450 4.2.0 greylisted, try again later',
    ),
    ahead: fields
      .integer(
        'Recipients of this account at the same domain that come before it, counted up to 10,000. Emails of other accounts ' +
          'are not among them: they take turns. Null unless it is due, and for keys that do not see the whole account',
        12,
      )
      .orNull(),
    held: fields.object(held, 'The limit that applies; null unless waiting for `shaping`').orNull(),
    smtp: fields.object(emailShapes.smtp, 'Result of the last attempt; null before the first').orNull(),
    gives_up_at: fields.time('When delivery will be abandoned').orNull(),
  },
} as const satisfies Shape;
export interface RecipientExplanation extends ViewOf<typeof recipientExplanation> {}

/** Why a message is where it is. */
const explanation = {
  name: 'Explanation',
  about: 'Why the recipients of an email are in their states.',
  fields: {
    id: fields.id('em', 'The id of the email'),
    object: fields.kind('explanation'),
    status: fields.choice(EMAIL_STATUSES, 'The status of the email as a whole'),
    recipients: fields.objects(recipientExplanation, 'The explanation for each recipient'),
  },
} as const satisfies Shape;
export interface EmailExplanationView extends ViewOf<typeof explanation> {}

export const explanationShapes = { explanation, held, recipientExplanation };
