import { fields, formats, resource, type RowOf, type Shape, type ViewOf } from '#libs/contracts';
import { replayCursorRule, replayStatusRule, replayTimeRule, webhookEventsRule } from './endpoints/field-rules.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from './webhook-event.resource.js';
import { EVENT_LIST } from './webhook.resource.js';

/** A request to replay the events of a time range. */
export const replayRequest = {
  name: 'ReplayRequest',
  about: 'The events to send again.',
  fields: {
    from: fields.time('Start of the range', '2026-01-31T09:30:00Z').given(replayTimeRule, { required: true }),
    to: fields.time('End of the range, exclusive; now if absent', '2026-01-31T12:00:00Z').given(replayTimeRule),
    types: fields
      .texts('Only these event types, or `["*"]`; all if absent', ['email.bounced', 'email.complained'], EVENT_LIST)
      .given((value) => webhookEventsRule(value)),
    status: fields.choice(DELIVERY_STATUSES, 'Only events with this status', 'failed').given(replayStatusRule),
    after: fields
      .text('The `next_cursor` of an earlier replay, to continue after its last event', formats.exampleId('dlv'), {
        pattern: formats.idPattern('dlv'),
      })
      .given(replayCursorRule),
  },
} as const satisfies Shape;
type Requested = ViewOf<typeof replayRequest>;
export interface ReplayRequest extends Pick<Requested, 'from'>, Partial<Omit<Requested, 'from'>> {}

export const replayFilter = {
  name: 'ReplayFilter',
  about: 'The events of a replay.',
  fields: {
    from: fields.time('Start of the range'),
    to: fields.time('End of the range, exclusive'),
    types: fields.texts('The event types; null: all', null).orNull(),
    status: fields.choice(DELIVERY_STATUSES, 'The status of the events; null: all', 'failed').orNull(),
  },
} as const satisfies Shape;

export const webhookReplay = resource({
  name: 'ReplayState',
  about: 'A replay of the events of a time range, with its progress.',
  table: 'webhook_replays',
  fields: {
    id: fields.id('rpl', 'The id of the replay').stored(),
    object: fields.kind('webhook_replay'),
    webhook_id: fields.id('wh', 'The id of the webhook').stored(),
    status: fields
      .choice(
        ['running', 'completed', 'canceled', 'stopped'],
        '`running` until the end of the range (`completed`); `canceled` by request; `stopped` because the webhook was disabled',
        'running',
      )
      .stored(),
    filter: fields.object(replayFilter, 'The events to replay'),
    queued: fields.integer('Events that were queued again so far', 1_500, { minimum: 0 }).stored(),
    skipped: fields
      .integer('Events that were left out, because they were being sent at that moment', 0, { minimum: 0 })
      .stored(),
    reached_at: fields.time('Time of the last event that the replay has processed; null before the first').orNull(),
    next_cursor: fields
      .text(
        'To continue a canceled or stopped replay, start another one with this value as `after`; null if it is completed',
        formats.exampleId('dlv'),
      )
      .orNull(),
    created_at: fields.time('When it was started').stored(),
    updated_at: fields.time('When it last made progress').stored(),
  },
  internal: {
    account_id: fields.column<string>(),
    /** The restrictions of the key; `domain_ids` null: all domains. */
    test: fields.column<boolean>('boolean'),
    domain_ids: fields.column<string[] | null>('text[]'),
    from_at: fields.column<Date>('timestamptz'),
    to_at: fields.column<Date | null>('timestamptz'),
    types: fields.column<string[] | null>('text[]'),
    delivery_status: fields.column<DeliveryStatus | null>(),
    /** The last delivery that the replay has processed. */
    reached: fields.column<string | null>(),
    body_hash: fields.column<Buffer | null>('bytea'),
  },
});
export interface ReplayView extends ViewOf<typeof webhookReplay> {}
export interface ReplayRow extends RowOf<typeof webhookReplay> {}
