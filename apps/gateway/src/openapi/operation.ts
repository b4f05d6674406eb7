import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOperation, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { LIMITS, REFUSALS } from '#libs/contracts';
import type { ErrorBody } from '../http/error-body.js';
import { ErrorDto } from './error.dto.js';

/** The resources, in the order of the documentation. */
export const TAGS = {
  Emails:
    'Send emails, alone or in batches, and follow their delivery. Scheduled emails can be moved to another time, and emails can be canceled until delivery starts.',
  Domains: 'Sending domains: the DNS records to publish, their status, and the settings of each domain.',
  Suppressions:
    'Addresses that receive no emails: after a hard bounce, a complaint or an unsubscription, or by request.',
  Erasures: 'Requests to erase a recipient from all stores, with a receipt.',
  Webhooks: 'Subscriptions to events: the URL to call, signing secrets, delivered events and their replay.',
  Events: 'All events in order, for clients that read at their own pace.',
  Statistics:
    'Counts and rates over time. Events are counted within five seconds, later after an outage of the statistics store.',
  'API keys': 'Keys with scopes, and with restrictions to domains, IP addresses and time.',
  Account: 'The account, and the addresses that receive notices of the service.',
  Queues: 'Recipients that wait for delivery, by domain and reason.',
  'Audit log': 'Recorded changes of security-relevant settings and lists, with their authors.',
  Usage: 'The monthly allowance and its usage.',
  'Request log': 'The requests of this account and their responses.',
  'Captured mail':
    'The captured emails of capture mode and of test keys, with every message as it would have been sent.',
  Operator:
    'The accounts of the service: their plans, source pools and limits. For keys of the first account with the scope `operator.accounts`.',
  Service: 'Health checks and the API description. No key is needed.',
} as const;
type Tag = keyof typeof TAGS;

export interface OperationOptions {
  /** The resource that the documentation lists it under. */
  tag: Tag;
  /** One short sentence. */
  summary: string;
  /** Effects, limits and the order of results, in Markdown. */
  description?: string;
  /** The class of the response; in brackets for a bare array. Absent if the response is not JSON (see `content`). */
  response?: Type | [Type];
  /** The classes of a response that depends on the parameters. */
  responses?: readonly Type[];
  /** Media type of a response that is not JSON. */
  content?: string;
  /** Status of a successful response, by default 200. */
  status?: 200 | 201 | 202 | 302;
  /** Further statuses of successful responses of the same class, with their descriptions. */
  otherwise?: Readonly<Record<number, string>>;
  /** Error statuses in addition to those of every operation (401, 403, 429, 500, 503). */
  errors?: readonly (400 | 404 | 405 | 409 | 415 | 422)[];
  /** The operation supports the header `Idempotency-Key`. */
  idempotent?: boolean;
}

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

const COMMON_ERRORS = [401, 403, 429, 500, 503] as const;
const DESCRIPTIONS: Record<number, string> = {
  400: 'A field, a parameter or a header is invalid; `details` lists all problems',
  401: 'The API key is missing, unknown, revoked or expired',
  403: 'The key lacks the scope, or the account is blocked, overdue or (for sending) paused',
  404: 'The account has no such resource',
  405: 'The path does not support this method',
  409: 'Not possible in the current state of the resource, or a conflict of idempotency keys',
  415: 'The body is compressed',
  422: 'The request is valid but cannot be processed: domain, attachment, size or suppression',
  429: 'Too many requests per second, or the monthly allowance is used up',
  500: 'An internal error',
  503: 'The service is temporarily unavailable; retry after `retry-after` seconds',
};

/** Status and documentation of one route: its entry in `openapi.json` except for the parameters. */
export function Operation(options: OperationOptions): MethodDecorator {
  const { tag, summary, description, response, content, status = 200, errors = [], idempotent = false } = options;
  const { responses = [], otherwise = {} } = options;
  const body = bodyOf(response);
  return applyDecorators(
    HttpCode(status),
    ApiTags(tag),
    ApiOperation({ summary, ...(description === undefined ? {} : { description }) }),
    ApiResponse({
      status,
      description: 'Success',
      ...body,
      ...(responses.length === 0 ? {} : { schema: { oneOf: responses.map((one) => ({ $ref: getSchemaPath(one) })) } }),
      ...(content === undefined ? {} : { content: { [content]: { schema: { type: 'string' } } } }),
    }),
    ...Object.entries(otherwise).map(([other, about]) =>
      ApiResponse({ status: Number(other), description: about, ...body }),
    ),
    ...[...new Set([...errors, ...COMMON_ERRORS])]
      .sort((a, b) => a - b)
      .map((code) => ApiResponse({ status: code, type: ErrorDto, ...errorResponseOf(code) })),
    ...(responses.length === 0 ? [] : [ApiExtraModels(...responses)]),
    ...(idempotent ? [IdempotencyKey] : []),
  );
}

function bodyOf(response: OperationOptions['response']): { type?: Type; isArray?: boolean } {
  if (response === undefined) return {};
  return Array.isArray(response) ? { type: response[0], isArray: true } : { type: response, isArray: false };
}

/** Description and example of the error responses with this status. */
export const errorResponseOf = (status: number): { description: string; example: ErrorBody } => ({
  description: DESCRIPTIONS[status],
  example: exampleOf(status),
});

/** The response for the first refusal with this status. */
function exampleOf(status: number): ErrorBody {
  const { name, error, message } = Object.values(REFUSALS).find((row) => row.status === status) ?? REFUSALS.not_found;
  const details = status === 400 ? [{ field: 'from', code: 'required', message: 'is required' }] : [];
  return { statusCode: status, name, error, message, details, request_id: 'req_5b9a2c0d6f3e4c1d8a7b9e0f1a2b3c4d' };
}

const IdempotencyKey = ApiHeader({
  name: IDEMPOTENCY_HEADER,
  required: false,
  description:
    `A key of your choice, 1 to ${LIMITS.idempotencyKeyLength} printable characters, kept for ${LIMITS.idempotencyHours} ` +
    'hours. Repeating a request with the same key and body has no further effect and returns the first response with the ' +
    'header `idempotent-replayed: true`. A different body with the same key is refused with 409.',
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyLength, pattern: '^[ -~]+$' },
  example: 'order-4711-confirmation',
});
