import { ApiProperty } from '@nestjs/swagger';
import type { RequestLogFilter, RequestLogView } from '#libs/accounts';
import { parseTimestamp } from '../timestamp.js';
import { ByRule } from './by-rule.js';
import { listOf, PageQuery } from './list.dto.js';
import { idRule, statusRule, timestampRule, wordRule } from './query-rules.js';

const ID = 'log_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const KEY_ID = 'key_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
const TIME = '2026-01-31T09:30:00Z';

export class LogsQuery extends PageQuery {
  @ByRule(statusRule, {
    doc: {
      type: String,
      pattern: '^[1-5](\\d\\d|xx)$',
      description: 'Only requests that were answered with this status, or with this class of statuses, such as `4xx`',
      example: '422',
    },
  })
  status?: string;

  @ByRule(wordRule(METHODS), {
    doc: { type: String, enum: METHODS, description: 'Only requests of this HTTP method', example: 'POST' },
  })
  method?: string;

  @ByRule(idRule('key'), { doc: { type: String, description: 'Only requests with this API key', example: KEY_ID } })
  api_key_id?: string;

  @ByRule(timestampRule, {
    doc: {
      type: String,
      format: 'date-time',
      description: 'Only requests answered at or after this time',
      example: TIME,
    },
  })
  created_after?: string;

  @ByRule(timestampRule, {
    doc: { type: String, format: 'date-time', description: 'Only requests answered before this time', example: TIME },
  })
  created_before?: string;
}

/** One answered request. */
export class LogDto implements RequestLogView {
  @ApiProperty({ description: 'The id of this entry', example: ID })
  id: string;

  @ApiProperty({ enum: ['log'], description: 'What this is', example: 'log' })
  object: 'log';

  @ApiProperty({
    description: 'The same as in the header `x-request-id` of the answer and in the body of an error',
    example: 'req_5b9a2c0d6f3e4c1d8a7b9e0f1a2b3c4d',
  })
  request_id: string;

  @ApiProperty({ description: 'The HTTP method', example: 'POST' })
  method: string;

  @ApiProperty({
    description:
      'The path without `/v1` and without the query. Ids are kept; an address, or whatever else could be private, is ' +
      'replaced by the name of its place, as in `/suppressions/:email`',
    example: '/emails',
  })
  endpoint: string;

  @ApiProperty({ type: 'integer', description: 'The HTTP status of the answer', example: 422 })
  response_status: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The `name` of the error that was answered; null where there was none',
    example: 'invalid_from_address',
  })
  error: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'What the client says it is, in at most 256 characters; words that look like addresses or keys are replaced',
    example: 'shop/2.1',
  })
  user_agent: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The network address from which the request came',
    example: '192.0.2.10',
  })
  ip: string | null;

  @ApiProperty({ description: 'The API key that was used', example: KEY_ID })
  api_key_id: string;

  @ApiProperty({ type: 'integer', description: 'Milliseconds from the request to the end of its answer', example: 12 })
  latency_ms: number;

  @ApiProperty({ format: 'date-time', description: 'When it was answered', example: '2026-01-31T09:30:00.000Z' })
  created_at: string;
}

export class LogList extends listOf(LogDto) {}

/** The filter of parameters that have passed their rules. */
export function filterOf({ status, method, api_key_id, created_after, created_before }: LogsQuery): RequestLogFilter {
  const instant = (text: string | undefined) => (text === undefined ? null : parseTimestamp(text)) ?? undefined;
  return {
    ...(status?.endsWith('xx') ? { statusClass: Number(status[0]) } : {}),
    ...(status === undefined || status.endsWith('xx') ? {} : { status: Number(status) }),
    method,
    apiKeyId: api_key_id,
    createdAfter: instant(created_after),
    createdBefore: instant(created_before),
  };
}
