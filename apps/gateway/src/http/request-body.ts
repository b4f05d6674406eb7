import { createHash, hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '#libs/contracts';
import { nextTurn } from '#libs/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bodyLimitsOf } from './body-limits.js';
import { parseLargeJson, parseSmallJson, SLICE_BYTES } from './parse-json.js';
import { readBytes } from './read-bytes.js';

const BODY_GRACE_MS = 30_000;
/** The slowest upload that is waited for, in bytes per millisecond (50 kB/s). */
const SLOWEST_UPLOAD = 50;

/** JSON, and CSV or anything where a route asks for it; the parsers of the framework are removed. */
export function readBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', readJson);
  fastify.addContentTypeParser('text/csv', readFile);
  fastify.addContentTypeParser('*', readNothing);
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    limitUploadTime(request, reply);
    askForBody(request, reply);
    done(null, payload);
  });
}

/** Undefined for an empty body: some clients announce JSON with every request. */
async function readJson(request: FastifyRequest, payload: IncomingMessage): Promise<unknown> {
  const limits = bodyLimitsOf(request.routeOptions.config);
  const bytes = await readBytes(payload, limits);
  if (bytes.length === 0 || limits.type === 'any') return undefined;
  // Most bodies are small, and one more turn of the event loop for each would be felt.
  const isSmall = bytes.length <= SLICE_BYTES;
  const body = isSmall ? parseSmallJson(bytes, limits.structure) : await parseLargeJson(bytes, limits.structure);
  if (needsHash(request)) request.bodyHash = await hashOf(bytes);
  return body;
}

/** The gate lets a file come only to a route that declared it. */
function readFile(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  return readBytes(payload, bodyLimitsOf(request.routeOptions.config));
}

/** Of a type that only a route without interest in its body may have. */
async function readNothing(request: FastifyRequest, payload: IncomingMessage): Promise<undefined> {
  const limits = bodyLimitsOf(request.routeOptions.config);
  if (limits.type !== 'any') throw new Refusal('wrong_content_type');
  await readBytes(payload, limits);
}

async function hashOf(bytes: Buffer): Promise<Buffer> {
  if (bytes.length <= SLICE_BYTES) return hash('sha256', bytes, 'buffer');
  const inSlices = createHash('sha256');
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (at > 0) await nextTurn();
    inSlices.update(bytes.subarray(at, at + SLICE_BYTES));
  }
  return inSlices.digest();
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
