import { isIP } from 'node:net';
import type { LoggedRequest, Principal, RequestLog } from '#libs/accounts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { redactedPath, redactedUserAgent } from './request-log-redaction.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The `name` of the error in the response, if any. */
    refusal: string | null;
  }
}

/**
 * Logs every request with a valid key after its response, including refused ones; not those of the dashboard. Requests do not
 * wait for the log.
 */
export function logRequests(fastify: FastifyInstance, log: Pick<RequestLog, 'add'>): void {
  const add = (request: FastifyRequest, reply: FastifyReply) => {
    if (request.principal && !request.principal.session) log.add(entryOf(request, request.principal, reply));
  };
  fastify.decorateRequest('refusal', null);
  fastify.addHook('onResponse', (request, reply, done) => {
    add(request, reply);
    done();
  });
  // `onResponse` is not called when the client has disconnected, although the request was processed.
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (reply.raw.destroyed) add(request, reply);
    done(null, payload);
  });
}

function entryOf(request: FastifyRequest, principal: Principal, reply: FastifyReply): LoggedRequest {
  const { ip } = request;
  return {
    visibility: principal,
    apiKeyId: principal.keyId,
    requestId: request.id,
    method: request.method,
    path: redactedPath(request),
    status: reply.statusCode,
    error: request.refusal,
    userAgent: redactedUserAgent(request.headers['user-agent']),
    // A connection that has ended has none.
    ip: isIP(ip) === 0 ? null : ip,
    latencyMs: Math.round(reply.elapsedTime),
  };
}
