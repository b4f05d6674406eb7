import { fields, type Shape, type ViewOf } from '#libs/contracts';
import { WAITS } from './explanation.resource.js';

/** Computed from all unsettled recipients; it has no rows of its own. */
export const waitingQueue = {
  name: 'Queue',
  about: 'Recipients at one domain that wait for the same thing.',
  fields: {
    object: fields.kind('queue'),
    domain: fields.text('The domain of the recipients', 'example.com'),
    provider: fields.text('The mailbox provider, as in statistics: a known name, otherwise the domain', 'google'),
    recipients: fields.integer('Number of recipients', 12),
    oldest_due_at: fields.time('Due time of the oldest recipient that is due; null if none is').orNull(),
    next_attempt_at: fields
      .time('When the next recipient becomes due; null if all are due or being delivered')
      .orNull(),
    waiting_for: fields.choice(WAITS, 'The reason for waiting, as in the explanation of an email'),
    reason: fields.text(
      'A human-readable sentence with the server reply that caused it',
      'mx1.example.com answered: 450 4.2.0 greylisted, try again later',
    ),
    code: fields.integer('The SMTP reply code that caused it; null without one', 450).orNull(),
    host: fields.text('The server that replied, or could not be reached; null without one', 'mx1.example.com').orNull(),
    block_list: fields
      .text('The block list that has our address, according to that reply; null otherwise', 'zen.spamhaus.org')
      .orNull(),
    since: fields.time(
      'Since when the oldest recipient has waited: its acceptance, or its scheduled time once that has passed',
    ),
  },
} as const satisfies Shape;

/** Recipients at one domain that wait for the same thing. */
export interface QueueView extends ViewOf<typeof waitingQueue> {}
