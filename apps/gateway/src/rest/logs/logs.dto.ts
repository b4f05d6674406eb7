import { accountShapes } from '#libs/accounts';
import { responseClass } from '../../openapi/definition-classes.js';
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

export class LogDto extends responseClass(accountShapes.loggedRequest) {}

export class LogList extends listOf(LogDto, 'log') {}

/** The filter for validated parameters. */
export function toRequestLogFilter({ status, method, endpoint, api_key_id, created_after, created_before }: LogsQuery) {
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
