import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { LIMITS, REFUSALS } from '#libs/contracts';
import type { ErrorBody } from '../http/error-body.js';
import { ErrorDto } from './error.dto.js';
import type { Tag } from './tags.js';

interface OperationOptions {
  /** The resource under which the docs list it. */
  tag: Tag;
  /** One short sentence. */
  summary: string;
  /** What a user must know beside fields and statuses: effects, limits, order of results. Markdown. */
  description?: string;
  /** The class of the answer; in brackets for a bare array of it. Absent: the answer is no JSON (see `content`). */
  answer?: Type | [Type];
  /** Media type of an answer that is no JSON. */
  content?: string;
  /** Of success; 200 unless something is created. */
  status?: 200 | 201 | 202 | 302;
  /** Refusals beside those that every operation has (401, 403, 404 by path id is to be named here, 429, 500, 503). */
  refuses?: readonly (400 | 404 | 405 | 409 | 415 | 422)[];
  /** The operation takes the header `Idempotency-Key` (D-25). */
  idempotent?: boolean;
}

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

const EVERYWHERE = [401, 403, 429, 500, 503] as const;
const WORDS: Record<number, string> = {
  400: 'A field, a parameter or a header is invalid; `details` names each of them',
  401: 'The API key is missing, unknown, revoked or expired',
  403: 'The key may not do this, or the account is blocked or overdue',
  404: 'There is no such thing in this account',
  405: 'The path exists, this method does not',
  409: 'The state of the resource, or an idempotency key, does not allow this',
  415: 'The body is compressed',
  422: 'Well-formed, but it cannot be done: domain, attachment, size or suppression',
  429: 'Too many requests per second, or the monthly allowance is used up',
  500: 'Something went wrong on our side',
  503: 'The service cannot store anything right now; `retry-after` says when to try again',
};

/** Status and documentation of one route: everything that `openapi.json` says about it beside its parameters. */
export function Operation(options: OperationOptions): MethodDecorator {
  const { tag, summary, description, answer, content, status = 200, refuses = [], idempotent = false } = options;
  const [type, isArray] = Array.isArray(answer) ? [answer[0], true] : [answer, false];
  return applyDecorators(
    HttpCode(status),
    ApiTags(tag),
    ApiOperation({ summary, ...(description === undefined ? {} : { description }) }),
    ApiResponse({
      status,
      description: 'Done',
      ...(type === undefined ? {} : { type, isArray }),
      ...(content === undefined ? {} : { content: { [content]: { schema: { type: 'string' } } } }),
    }),
    ...[...new Set([...refuses, ...EVERYWHERE])]
      .sort((a, b) => a - b)
      .map((code) => ApiResponse({ status: code, type: ErrorDto, ...wordsOf(code) })),
    ...(idempotent ? [IdempotencyKey] : []),
  );
}

/** What is said of a refusal with this status. */
export const wordsOf = (status: number): { description: string; example: ErrorBody } => ({
  description: WORDS[status],
  example: exampleOf(status),
});

/** The first refusal of the table with this status, as it is answered. */
function exampleOf(status: number): ErrorBody {
  const { name, error, message } = Object.values(REFUSALS).find((row) => row.status === status) ?? REFUSALS.not_found;
  const details = status === 400 ? [{ field: 'from', code: 'required', message: 'is required' }] : [];
  return { statusCode: status, name, error, message, details, request_id: 'req_5b9a2c0d6f3e4c1d8a7b9e0f1a2b3c4d' };
}

const IdempotencyKey = ApiHeader({
  name: IDEMPOTENCY_HEADER,
  required: false,
  description:
    `A key of your choice, 1 to ${LIMITS.idempotencyKeyLength} printable characters, kept ${LIMITS.idempotencyHours} ` +
    'hours: a repeat of the same body under the same key does nothing again and gets the first answer, with the header ' +
    '`idempotent-replayed: true`. Another body under the same key is refused with 409.',
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyLength, pattern: '^[ -~]+$' },
  example: 'order-4711-confirmation',
});
