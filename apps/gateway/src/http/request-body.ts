import { LIMITS, Refusal } from '#libs/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { scanStructure, type StructureLimits } from './structure-scan.js';

/** Of one mail; a batch will multiply the second (promises S-35). */
const STRUCTURE_OF_ONE_MAIL: StructureLimits = { depth: 32, structure: 20_000 };

const BODY_GRACE_MS = 30_000;
/** The slowest upload that is waited for, in bytes per millisecond (50 kB/s). */
const SLOWEST_UPLOAD = 50;

/** JSON is the only kind of body that exists; every other parser of the framework is removed. */
export function readJsonBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: LIMITS.requestBytes },
    (request: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void) => {
      try {
        if (request.headers['idempotency-key'] !== undefined) request.rawBody = bytes;
        done(null, parseBody(bytes));
      } catch (error) {
        done(error as Error);
      }
    },
  );
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    limitUploadTime(request, reply);
    askForBody(request, reply);
    done(null, payload);
  });
}

/** @throws Refusal `malformed_json`. */
export function parseBody(bytes: Buffer): unknown {
  scanStructure(bytes, STRUCTURE_OF_ONE_MAIL);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Refusal('malformed_json');
  }
}

/** A body that trickles in holds a connection, not the process, but not for ever: 30 s and its size at 50 kB/s. */
function limitUploadTime(request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.complete) return;
  const bytes = Number(request.headers['content-length'] ?? LIMITS.requestBytes);
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
