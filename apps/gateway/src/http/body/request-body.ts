import { createHash, hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '#libs/contracts';
import { yielding } from '#libs/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bodyLimitsOf } from './body-limits.js';
import type { BodyMemory } from './body-memory.js';
import { parseLargeJson, parseSmallJson, SLICE_BYTES } from './parse-json.js';
import { discardBytes } from './read-bytes.js';

const BODY_GRACE_MS = 30_000;
const MIN_UPLOAD_BYTES_PER_MS = 50;

/** Registers the parsers for JSON, and for CSV and other types on routes that declare them, instead of those of the framework. */
export function readBodies(fastify: FastifyInstance, memory: BodyMemory): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage) =>
    readJson(request, payload, memory),
  );
  // The request guard admits a CSV body only on a route that declares it.
  fastify.addContentTypeParser('text/csv', (request: FastifyRequest, payload: IncomingMessage) =>
    isIgnored(request)
      ? discardBody(request, payload)
      : memory.read(request, payload, bodyLimitsOf(request.routeOptions.config)),
  );
  fastify.addContentTypeParser('*', discardBody);
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    limitUploadTime(request, reply);
    sendContinue(request, reply);
    done(null, payload);
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    memory.release(request);
    done(null, payload);
  });
}

const isIgnored = (request: FastifyRequest): boolean => bodyLimitsOf(request.routeOptions.config).type === 'any';

/** Undefined for an empty body, because some clients send a JSON content type with every request. */
async function readJson(request: FastifyRequest, payload: IncomingMessage, memory: BodyMemory): Promise<unknown> {
  if (isIgnored(request)) return discardBody(request, payload);
  const limits = bodyLimitsOf(request.routeOptions.config);
  const bytes = await memory.read(request, payload, limits);
  request.bodyBytes = bytes.length;
  if (bytes.length === 0) return undefined;
  // Small bodies are parsed at once: yielding to the event loop for each would cost throughput.
  const isSmall = bytes.length <= SLICE_BYTES;
  const body = isSmall ? parseSmallJson(bytes, limits.json) : await parseLargeJson(bytes, limits.json);
  if (needsHash(request)) request.bodyHash = await hashOf(bytes);
  return body;
}

/** Any other type is accepted only by a route that ignores its body. */
async function discardBody(request: FastifyRequest, payload: IncomingMessage): Promise<undefined> {
  const limits = bodyLimitsOf(request.routeOptions.config);
  if (limits.type !== 'any') throw new Refusal('wrong_content_type');
  await discardBytes(payload, limits);
}

async function hashOf(bytes: Buffer): Promise<Buffer> {
  if (bytes.length <= SLICE_BYTES) return hash('sha256', bytes, 'buffer');
  const inSlices = createHash('sha256');
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (at > 0) await yielding.pause();
    inSlices.update(bytes.subarray(at, at + SLICE_BYTES));
  }
  return inSlices.digest();
}

const needsHash = (request: FastifyRequest): boolean => request.headers['idempotency-key'] !== undefined;

/** A slow upload may take 30 s plus the time for its size at 50 kB/s; then the connection is closed. */
function limitUploadTime(request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete) return;
  const bytes = Number(request.headers['content-length'] ?? bodyLimitsOf(request.routeOptions.config).bytes);
  const timer = setTimeout(
    () => {
      if (!request.raw.complete) request.raw.destroy();
    },
    BODY_GRACE_MS + bytes / MIN_UPLOAD_BYTES_PER_MS,
  );
  timer.unref();
  reply.raw.once('close', () => clearTimeout(timer));
}

/** RFC 9110 section 10.1.1: 100 Continue is sent only after all checks of the headers have passed. */
function sendContinue(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.expect?.toLowerCase() === '100-continue') reply.raw.writeContinue();
}
