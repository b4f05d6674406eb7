import { AccountHistory, LATEST } from '#libs/bus';
import type { LoggedEvent, Page } from '#libs/contracts';
import { EventConnection, EventsArgs, EventType, eventsParameters, toEvent } from '../graphql/events/event.type.js';
import { EventDto, EventList, EventsQuery, toEventResponse } from '../rest/events/events.dto.js';
import { eventsPage } from '../rest/events/events-page.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Events';

const list = operation({
  tag,
  rest: 'GET /',
  graphql: {
    field: 'Query.events',
    about:
      'All events, **oldest first**, unlike other lists: `after` with the last event seen returns the newer ones; `last` alone returns the newest. With a ' +
      'selective filter a page may be short or empty although `hasNextPage` is true: continue with `endCursor`.',
    list: {
      connection: EventConnection,
      others: { type: EventsArgs, toQuery: eventsParameters },
      fromEnd: LATEST,
    },
    value: (page: Page<LoggedEvent>) => ({ ...page, data: page.data.map(toEvent) }),
  },
  scope: 'emails.read',
  summary: 'List events',
  description:
    'All events, **oldest first**, unlike other lists: `after` with the last event seen returns the newer ones, so that ' +
    'a client can follow at its own pace. Events of one email are in the order in which they happened, and no event is ' +
    'inserted before one that was already returned. `before=latest` returns the newest events. With a selective filter a page may be short or empty although ' +
    '`has_more` is true: continue with `next_cursor`.',
  query: EventsQuery,
  response: EventList,
  errors: [400],
  uses: [AccountHistory],
  run: ({ caller, query }, history) => eventsPage(history, caller, query),
  respond: (page) => ({ ...page, data: page.data.map(toEventResponse) }),
});

const get = operation({
  tag,
  rest: 'GET /:id',
  graphql: {
    field: 'Query.event',
    about: 'One event. Null if the account has no such event.',
    arguments: { id: 'The id of the event' },
    type: EventType,
    value: toEvent,
    isNullable: true,
  },
  scope: 'emails.read',
  summary: 'Get an event',
  path: ['id'],
  response: EventDto,
  errors: [404],
  uses: [AccountHistory],
  run: ({ caller, id }, history) => history.find(caller, id),
  respond: toEventResponse,
});

/** The events of the account, in the order of the event log. */
export const EVENTS: OperationGroup = { name: 'Events', path: 'events', operations: { list, get } };
