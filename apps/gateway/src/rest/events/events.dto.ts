import { busShapes } from '#libs/bus';
import { EVENT_TYPES, type LoggedEvent } from '#libs/contracts';
import { responseClass } from '../../openapi/definition-classes.js';
import { listPattern } from '../../openapi/properties.js';
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

  @QueryId('em', 'Only events of this email')
  email_id?: string;

  @QueryId('dom', 'Only events of this domain and its emails')
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

export class EventDto extends responseClass(busShapes.loggedEvent) {}
export const toEventResponse = ({ event: { id, type, created_at, data } }: LoggedEvent): EventDto => ({
  id,
  type,
  created_at,
  data,
});

export class EventList extends listOf(EventDto, 'evt') {}
