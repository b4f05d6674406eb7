import { fields, resource, type LoggedEvent, type RowOf, type Shape, type ViewOf } from '#libs/contracts';
import { loggedEvent } from '../event.resource.js';

/** A record as a consumer of Kafka received it; the parts are base64. */
export interface RawRecord {
  key: string | null;
  value: string | null;
  headers: Record<string, string>;
}

export const parkedEvent = resource({
  name: 'ParkedEvent',
  about: 'An event that a consumer could not handle.',
  table: 'parked_events',
  fields: {
    id: fields.id('prk', 'The id of the entry').stored(),
    consumer: fields.text('The consumer', 'webhooks').stored(),
    source: fields.text('`log`, or `<topic>/<partition>` for a record of Kafka', 'log').stored(),
    position: fields.integer('The position in the log, or the offset', 42),
    event_id: fields.id('evt', 'The event; null for a record that is not readable as one').orNull().stored(),
    event_type: fields.text('Its type', 'email.delivered').orNull().stored(),
    account_id: fields.id('acc', 'Its account').orNull().stored(),
    reason: fields.text('Why it could not be handled').stored(),
    failures: fields.integer('How often it could not be handled', 1).stored(),
    replay_requested: fields.flag('Whether it is about to be handled again', false),
    parked_at: fields.time('When it was parked').stored(),
    failed_at: fields.time('When it failed last').stored(),
  },
  internal: {
    replay_requested_at: fields.column<Date | null>('timestamptz'),
    /** PostgreSQL gives a bigint as text. */
    position: fields.column<string>('bigint'),
  },
});

/** With the event or the record. */
const parkedContent = {
  name: parkedEvent.name,
  about: parkedEvent.about,
  fields: {
    ...parkedEvent.fields,
    content: fields
      .map<{ event: LoggedEvent } | { record: RawRecord }>('The event or the record; only of a single entry')
      .orNull(),
  },
} as const satisfies Shape;

export interface ParkedEvent extends ViewOf<typeof parkedEvent> {}
export interface ParkedRow extends RowOf<typeof parkedEvent> {}
export interface ParkedContent extends ParkedEvent {
  content: { event: LoggedEvent } | { record: RawRecord };
}

export const toParkedEvent = (row: ParkedRow): ParkedEvent =>
  parkedEvent.toView(row, { position: Number(row.position), replay_requested: row.replay_requested_at !== null });

export const busShapes = { loggedEvent, parkedContent };
