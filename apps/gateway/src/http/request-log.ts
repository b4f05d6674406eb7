import { isIP } from 'node:net';
import type { LoggedRequest, Principal, RequestLog } from '#libs/accounts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { loggedPath } from './request-log-path.js';
import { loggedUserAgent } from './request-log-user-agent.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The `name` of the error that this request is answered with. */
    refusal: string | null;
  }
}

/** One line for each request with a known key, refused ones included, once it is answered. Nobody waits for it. */
export function logRequests(fastify: FastifyInstance, log: Pick<RequestLog, 'add'>): void {
  const add = (request: FastifyRequest, reply: FastifyReply) => {
    if (request.principal) log.add(lineOf(request, request.principal, reply));
  };
  fastify.decorateRequest('refusal', null);
  fastify.addHook('onResponse', (request, reply, done) => {
    add(request, reply);
    done();
  });
  // There is no end of an answer for a client that has gone, and yet its request was done.
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (reply.raw.destroyed) add(request, reply);
    done(null, payload);
  });
}

function lineOf(request: FastifyRequest, { accountId, keyId }: Principal, reply: FastifyReply): LoggedRequest {
  const { ip } = request;
  return {
    accountId,
    apiKeyId: keyId,
    requestId: request.id,
    method: request.method,
    path: loggedPath(request),
    status: reply.statusCode,
    error: request.refusal,
    userAgent: loggedUserAgent(request.headers['user-agent']),
    // Behind a proxy it is a text from a header.
    ip: isIP(ip) === 0 ? null : ip.replace(/^::ffff:(?=\d+\.)/, ''),
    latencyMs: Math.round(reply.elapsedTime),
  };
}
