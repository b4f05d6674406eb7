import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Refusal } from '#libs/contracts';
import { errorResponse } from './error-body.js';

/** The request id in responses and logs. An id sent by the client is ignored. */
export const newRequestId = (): string => `req_${randomUUID().replaceAll('-', '')}`;

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
const HEADERS_TOO_LARGE = 'HPE_HEADER_OVERFLOW';
/** Time for a client to read the last response before its connection is closed. */
const CLOSE_GRACE_MS = 2_000;

/**
 * Answers bytes that are not a complete HTTP request in the error format of the API, and closes the connection, because
 * the end of such a request is unknown. A connection that has sent nothing is closed without an answer: browsers open some
 * in advance, and would take the answer for that of the request they send over it at the same moment.
 */
export const answerClientError =
  (common: Record<string, string>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    answerAndClose(socket, new Refusal('validation_error', [], messageFor(error.code)), common);
  };

/**
 * Writes a refusal to a connection for which there is no response object, and closes it.
 *
 * `end` alone closes only this side: without `destroy`, the descriptor stays open until the client closes the other one.
 */
export function answerAndClose(socket: Duplex, refusal: Refusal, common: Record<string, string>): void {
  const { body, headers: own } = errorResponse(refusal, newRequestId());
  const text = JSON.stringify(body);
  const headers = {
    ...common,
    ...own,
    'x-request-id': body.request_id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${body.statusCode} ${STATUS_CODES[body.statusCode]}`, ...lines, '', text].join('\r\n'));
  const closing = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS);
  closing.unref();
  socket.once('close', () => clearTimeout(closing));
}

function messageFor(code: string | undefined): string {
  if (code === TIMEOUT) return 'The request did not arrive in time.';
  return code === HEADERS_TOO_LARGE ? 'The request headers are too large.' : 'This is not a valid HTTP request.';
}
