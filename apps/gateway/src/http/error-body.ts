import { HttpException } from '@nestjs/common';
import {
  BatchRefusal,
  Refusal,
  REFUSALS,
  type BatchProblem,
  type RefusalCode,
  type RefusalDetail,
} from '#libs/contracts';
import { databaseErrors } from '#libs/persistence';
import { isResendPath, resendAnswer } from '../resend/resend-errors.js';

/** The body of every error response. */
export interface ErrorBody {
  statusCode: number;
  name: string;
  error: string;
  message: string;
  details: RefusalDetail[];
  /** The refused elements of a batch. */
  errors?: BatchProblem[];
  request_id: string;
}

export interface ErrorResponse {
  body: ErrorBody;
  headers: Record<string, string>;
  /** An error to be logged: neither a refusal nor caused by the client. */
  unexpected: boolean;
}

const RETRY_SECONDS_WHEN_UNAVAILABLE = 5;

/** Statuses of errors thrown by the framework; every other 4xx is a malformed request. */
const BY_STATUS: Partial<Record<number, RefusalCode>> = {
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'message_too_large',
  415: 'wrong_content_type',
};

/**
 * Translates any thrown value. The response to an unexpected error contains no stack, no SQL and no path.
 * @param path the routed path of the request; clients of Resend receive Resend's statuses and names
 */
export function errorResponse(thrown: unknown, requestId: string, path = ''): ErrorResponse {
  const refusal = thrown instanceof Refusal ? thrown : refusalOf(thrown);
  const { status, name, error } = (isResendPath(path) ? resendAnswer(refusal.code) : undefined) ?? refusal.row;
  return {
    body: {
      statusCode: status,
      name,
      error,
      message: refusal.message,
      details: refusal.details,
      ...(refusal instanceof BatchRefusal ? { errors: refusal.problems } : {}),
      request_id: requestId,
    },
    headers: headersOf(refusal, status),
    unexpected: !(thrown instanceof Refusal) && refusal.code === 'internal_server_error',
  };
}

function refusalOf(thrown: unknown): Refusal {
  const status = statusOf(thrown);
  if (status < 400 || status > 499) return failureOf(thrown ?? '');
  const known = BY_STATUS[status];
  return known ? new Refusal(known) : new Refusal('validation_error', [], 'The request could not be understood.');
}

function failureOf(thrown: unknown): Refusal {
  if (databaseErrors.isUnavailable(thrown))
    return new Refusal('service_unavailable', [], 'The service cannot answer right now. Try again.');
  if (!databaseErrors.isTooComplex(thrown)) return new Refusal('internal_server_error');
  const message = 'must be less complex';
  return new Refusal('validation_error', [{ field: '', code: 'too_costly', message }], `The request ${message}.`);
}

function statusOf(thrown: unknown): number {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const status = (thrown as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}

function headersOf(refusal: Refusal, status: number): Record<string, string> {
  const wait =
    refusal.retryAfter ?? (status === REFUSALS.service_unavailable.status ? RETRY_SECONDS_WHEN_UNAVAILABLE : 0);
  return {
    // RFC 9110 section 11.6.1: a 401 response has a challenge.
    ...(status === 401 ? { 'www-authenticate': 'Bearer realm="postloft"' } : {}),
    ...(wait > 0 ? { 'retry-after': String(wait) } : {}),
  };
}
