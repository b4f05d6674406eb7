import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Refusal } from '#libs/contracts';
import { answerFor } from './error-body.js';

/** The request ids of answers and logs; a client's own is not taken over. */
export const newRequestId = (): string => `req_${randomUUID().replaceAll('-', '')}`;

const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
const HEADERS_TOO_LARGE = 'HPE_HEADER_OVERFLOW';

/**
 * Bytes that are no HTTP request, or one that does not end: answered in the API's own shape, with the headers that every
 * response has, then closed. The request cannot be trusted to have an end, so nothing further is read from this
 * connection.
 */
export const answerClientError =
  (common: Record<string, string>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { body } = answerFor(new Refusal('validation_error', [], sentenceFor(error.code)), newRequestId());
    const text = JSON.stringify(body);
    const headers = {
      ...common,
      'x-request-id': body.request_id,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(['HTTP/1.1 400 Bad Request', ...lines, '', text].join('\r\n'));
  };

function sentenceFor(code: string | undefined): string {
  if (code === LATE) return 'The request did not arrive in time.';
  return code === HEADERS_TOO_LARGE ? 'The request headers are too large.' : 'This is not a valid HTTP request.';
}
