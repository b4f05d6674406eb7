import { RequestLog } from '#libs/accounts';
import { LoggedRequestConnection, RequestLogFilter } from '../graphql/request-log/request-log.type.js';
import { pageRequest } from '../rest/list.dto.js';
import { LogDto, LogList, LogsQuery, toRequestLogFilter } from '../rest/logs/logs.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Request log';

const list = operation({
  tag,
  rest: 'GET /',
  graphql: {
    field: 'Query.requestLog',
    about:
      'All requests with a key of this account in the last 30 days, including refused ones, newest first. With a selective ' +
      'filter a page may be short or empty although `hasNextPage` is true: continue with `endCursor`.',
    list: {
      connection: LoggedRequestConnection,
      filter: { type: RequestLogFilter, about: 'Only requests that match it' },
    },
  },
  scope: 'api_keys.read',
  summary: 'List requests',
  description:
    'All requests with a key of this account in the last 30 days, including refused ones, newest first, without bodies. ' +
    'A request appears about one second after its response; during a database outage requests may be missing. With a ' +
    'selective filter a page may be short or empty although `has_more` is true: continue with `next_cursor`.',
  query: LogsQuery,
  response: LogList,
  errors: [400],
  uses: [RequestLog],
  run: ({ caller, query }, requests) => requests.list(caller, pageRequest(query, 'log'), toRequestLogFilter(query)),
});

const get = operation({
  tag,
  rest: 'GET /:id',
  graphql: {
    field: 'Query.loggedRequest',
    about: 'One entry of the request log. Null if the account has no such entry.',
    arguments: { id: 'The id of the entry' },
    isNullable: true,
  },
  scope: 'api_keys.read',
  summary: 'Get a request',
  path: ['id'],
  response: LogDto,
  errors: [404],
  uses: [RequestLog],
  run: ({ caller, id }, requests) => requests.find(caller, id),
});

/** The request log of the caller's account. */
export const REQUEST_LOG: OperationGroup = { name: 'Logs', path: 'logs', operations: { list, get } };
