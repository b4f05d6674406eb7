import { ApiProperty } from '@nestjs/swagger';
import { EVENT_TYPES, type EventType, type LoggedEvent } from '#libs/contracts';
import {
  EnumProperty,
  EXAMPLE_TIME,
  exampleId,
  IdProperty,
  listPattern,
  TimeProperty,
} from '../../openapi/properties.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { listOfValuesRule } from '../stats/stats-rules.js';
import { FieldRule } from '../validation/field-rule.decorator.js';
import { QueryAddress, QueryId, QueryTime } from '../validation/query-fields.js';
import { queryTextRule } from '../validation/query-rules.js';

export class EventsQuery extends pageQueryOf('evt') {
  @FieldRule(queryTextRule, {
    type: String,
    pattern: '^(?:latest|evt_[0-9a-f]{32})$',
    description:
      'The id of an event: the page ends with the event before it; `latest` for the newest events. Cannot be combined with `after`',
  })
  override before?: string;

  @FieldRule(listOfValuesRule(EVENT_TYPES), {
    type: String,
    pattern: listPattern(EVENT_TYPES),
    description: `Only events of these types, separated by commas: ${EVENT_TYPES.join(', ')}`,
    example: 'email.delivered,email.bounced',
  })
  type?: string;

  @QueryId('em', 'Only events of this e-mail')
  email_id?: string;

  @QueryId('dom', 'Only events of this domain and its e-mails')
  domain_id?: string;

  @QueryAddress('Only events about this recipient', 'user@example.com')
  recipient?: string;

  @QueryTime('Only events that happened at or after this time')
  created_after?: string;

  @QueryTime(
    'Only events that happened before this time. Those that reached the event log more than an hour after it are not found',
  )
  created_before?: string;
}

/** An event as webhooks receive it, with its id. */
export class EventDto {
  @IdProperty('evt', 'The same as in the header `webhook-id` of a webhook')
  id: string;

  @EnumProperty(EVENT_TYPES, 'The type of the event')
  type: EventType;

  @TimeProperty('When it happened', EXAMPLE_TIME)
  created_at: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The data of the event; its fields depend on the type. Events of test e-mails have `mode: "test"`',
    example: { email_id: exampleId('em'), recipient: 'user@example.com' },
  })
  data: object;
}

export class EventList extends listOf(EventDto, 'evt') {}

export function toEventResponse({ event }: LoggedEvent): EventDto {
  const { id, type, created_at, data } = event;
  return { id, type, created_at, data };
}
