import { fields, type Shape, type ViewOf } from '#libs/contracts';
import { WAITS } from './explanation.resource.js';

/** Computed from all unsettled recipients; it has no rows of its own. */
const waitingQueue = {
  name: 'Queue',
  about: 'Recipients at one domain that wait for the same thing.',
  fields: {
    object: fields.kind('queue'),
    domain: fields.text('The domain of the recipients', 'example.com'),
    provider: fields.text('The mailbox provider, as in statistics: a known name, otherwise the domain', 'google'),
    recipients: fields.integer('Number of recipients', 12),
    bulk: fields.integer('How many of them belong to emails with the priority `bulk`, which let the others pass', 4),
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

const { oldest_due_at, next_attempt_at } = waitingQueue.fields;

const providerQueue = {
  name: 'ProviderQueue',
  about: 'Recipients of all accounts at one mailbox provider that wait.',
  fields: {
    provider: fields.text('A known name, otherwise the domain'),
    recipients: fields.integer('The number of recipients', 12),
    accounts: fields.integer('The number of accounts whose mail waits', 2),
    oldest_due_at,
    next_attempt_at,
    since: fields.time('Since when the oldest recipient has waited'),
    waits: fields.objects(waitingQueue, 'Reasons for waiting, those with the most recipients first; at most five'),
  },
} as const satisfies Shape;

/** Recipients of all accounts at one mailbox provider. */
export interface ProviderView extends ViewOf<typeof providerQueue> {}

const throttle = {
  name: 'Throttle',
  about: 'A queue that is held back, for one source address.',
  fields: {
    queue: fields.text('A mailbox provider, or `domain:` with a domain', 'google'),
    source: fields.text('The source address; null: the system chooses it', '198.51.100.7').orNull(),
    state: fields.choice(['slow_down', 'suspended', 'warm_up'], 'How it is held back'),
    factor: fields.number('Of a slow-down: the share of the normal rate', 0.5).orNull(),
    since: fields.time('When the reply came that caused it'),
    until: fields.time('When it ends, unless it is repeated'),
    rule: fields.text('The id of the automation that caused it'),
    mx: fields.text('The server that replied', 'mx1.example.com').orNull(),
    words: fields.text('The reply that caused it', '421 4.7.28 unusual rate of mail from your address').orNull(),
    block_list: fields
      .text(
        'The block list that has the source address, according to the reply; null if it is about something else',
        'zen.spamhaus.org',
      )
      .orNull(),
    waiting: fields.integer('Recipients that wait for it, counted up to 10,000', 12),
  },
} as const satisfies Shape;
export interface ThrottleView extends ViewOf<typeof throttle> {}

const resumedQueue = {
  name: 'ResumedQueue',
  about: 'The result of resuming a queue.',
  fields: {
    restraints: fields.integer('The number of restraints that ended', 1),
    recipients: fields.integer('The number of recipients that became due', 12),
  },
} as const satisfies Shape;
export interface ResumedQueue extends ViewOf<typeof resumedQueue> {}

const warmUpDay = {
  name: 'WarmUpDay',
  about: 'The warm-up of a source address at one provider today (UTC).',
  fields: {
    provider: fields.text('The provider; null for what every other provider may get', 'google').orNull(),
    allowance: fields.integer('Recipients of today; null once the address is warm there', 500).orNull(),
    used: fields.integer('Recipients that delivery processes have reserved today', 120),
  },
} as const satisfies Shape;

const sourceAddress = {
  name: 'SourceAddress',
  about: 'An address that mail is sent from.',
  fields: {
    address: fields.text('The address', '198.51.100.7'),
    helo_name: fields.text('The name in EHLO', 'smtp.example.com'),
    pools: fields.texts('The pools that it belongs to', ['main']),
    state: fields.choice(['warm', 'warming_up', 'not_started'], 'How far its warm-up is'),
    started_at: fields.time('The first day of its warm-up; null without one').orNull(),
    warm_up: fields.objects(warmUpDay, 'Providers with an allowance of their own or with mail today'),
  },
} as const satisfies Shape;
/** A source address of SHAPING_FILE. */
export interface SourceView extends ViewOf<typeof sourceAddress> {}

export const queueShapes = { providerQueue, resumedQueue, sourceAddress, throttle, waitingQueue, warmUpDay };
