import { createHash } from 'node:crypto';
import { nextTurn } from '#libs/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { bodyLimitsOf } from './body-limits.js';
import { parseLargeJson, parseSmallJson, SLICE_BYTES } from './parse-json.js';

const BODY_GRACE_MS = 30_000;
/** The slowest upload that is waited for, in bytes per millisecond (50 kB/s). */
const SLOWEST_UPLOAD = 50;

/** JSON is the only kind of body that exists; every other parser of the framework is removed. */
export function readJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void) => {
      // Most bodies are small, and one more turn of the event loop for each would be felt.
      if (bytes.length > SLICE_BYTES) return readLarge(request, bytes);
      try {
        readSmall(request, bytes, done);
      } catch (error) {
        done(error as Error);
      }
      return undefined;
    },
  );
  fastify.addHook('onRoute', (route: RouteOptions) => {
    route.bodyLimit = bodyLimitsOf(route.config).bytes;
  });
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    limitUploadTime(request, reply);
    askForBody(request, reply);
    done(null, payload);
  });
}

function readSmall(request: FastifyRequest, bytes: Buffer, done: (error: null, body: unknown) => void): void {
  const body = parseSmallJson(bytes, bodyLimitsOf(request.routeOptions.config).structure);
  if (needsHash(request)) request.bodyHash = createHash('sha256').update(bytes).digest();
  done(null, body);
}

async function readLarge(request: FastifyRequest, bytes: Buffer): Promise<unknown> {
  const body = await parseLargeJson(bytes, bodyLimitsOf(request.routeOptions.config).structure);
  if (!needsHash(request)) return body;
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    hash.update(bytes.subarray(at, at + SLICE_BYTES));
    await nextTurn();
  }
  request.bodyHash = hash.digest();
  return body;
}

const needsHash = (request: FastifyRequest): boolean => request.headers['idempotency-key'] !== undefined;

/** A body that trickles in holds a connection, not the process, but not for ever: 30 s and its size at 50 kB/s. */
function limitUploadTime(request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete) return;
  const bytes = Number(request.headers['content-length'] ?? bodyLimitsOf(request.routeOptions.config).bytes);
  const timer = setTimeout(
    () => {
      if (!request.raw.complete) request.raw.destroy();
    },
    BODY_GRACE_MS + bytes / SLOWEST_UPLOAD,
  );
  timer.unref();
  reply.raw.once('close', () => clearTimeout(timer));
}

/** RFC 9110 §10.1.1: a client that waits for permission gets it only after every check of the headers has passed. */
function askForBody(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue();
}
