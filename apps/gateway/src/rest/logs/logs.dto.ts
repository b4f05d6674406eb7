import type { RequestLogFilter, RequestLogView } from '#libs/accounts';
import {
  EXAMPLE_TIME,
  IdProperty,
  IntegerProperty,
  KindProperty,
  NullableTextProperty,
  TextProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { FieldRule } from '../validation/field-rule.decorator.js';
import { QueryEnum, QueryId, QueryText, QueryTime } from '../validation/query-fields.js';
import { instantOf, statusRule } from '../validation/query-rules.js';

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

export class LogsQuery extends pageQueryOf('log') {
  @FieldRule(statusRule, {
    type: String,
    pattern: '^[1-5](\\d\\d|xx)$',
    description: 'Only requests with this response status, or with this class of statuses, such as `4xx`',
    example: '422',
  })
  status?: string;

  @QueryEnum(METHODS, { description: 'Only requests with this HTTP method', example: 'POST' })
  method?: string;

  @QueryText('Only requests whose endpoint begins with this text', '/emails')
  endpoint?: string;

  @QueryId('key', 'Only requests with this API key')
  api_key_id?: string;

  @QueryTime('Only requests answered at or after this time')
  created_after?: string;

  @QueryTime('Only requests answered before this time')
  created_before?: string;
}

/** One request and its response. */
export class LogDto implements RequestLogView {
  @IdProperty('log', 'The id of this entry')
  id: string;

  @KindProperty('log', { example: 'log' })
  object: 'log';

  @TextProperty(
    'The same as in the response header `x-request-id` and in the body of an error',
    'req_5b9a2c0d6f3e4c1d8a7b9e0f1a2b3c4d',
  )
  request_id: string;

  @TextProperty('The HTTP method', 'POST')
  method: string;

  @TextProperty(
    'The path without `/v1` and without the query. Ids are shown; an address or any other text that could be private is ' +
      'replaced by the name of its parameter, as in `/suppressions/:email`',
    '/emails',
  )
  endpoint: string;

  @IntegerProperty('The HTTP status of the response', 422)
  response_status: number;

  @NullableTextProperty('The `name` of the error in the response; null if there was none', 'invalid_from_address')
  error: string | null;

  @NullableTextProperty(
    'The User-Agent header, at most 256 characters; words that look like addresses or keys are replaced',
    'shop/2.1',
  )
  user_agent: string | null;

  @NullableTextProperty('The IP address of the client', '192.0.2.10')
  ip: string | null;

  @IdProperty('key', 'The API key of the request')
  api_key_id: string;

  @IntegerProperty('Milliseconds from the request to the end of the response', 12)
  latency_ms: number;

  @TimeProperty('When it was answered', EXAMPLE_TIME)
  created_at: string;
}

export class LogList extends listOf(LogDto, 'log') {}

/** The filter for validated parameters. */
export function toRequestLogFilter({
  status,
  method,
  endpoint,
  api_key_id,
  created_after,
  created_before,
}: LogsQuery): RequestLogFilter {
  return {
    ...(status?.endsWith('xx') ? { statusClass: Number(status[0]) } : {}),
    ...(status === undefined || status.endsWith('xx') ? {} : { status: Number(status) }),
    method,
    endpoint,
    apiKeyId: api_key_id,
    createdAfter: instantOf(created_after),
    createdBefore: instantOf(created_before),
  };
}
