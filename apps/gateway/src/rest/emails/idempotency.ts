import { createHash } from 'node:crypto';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { isIdempotencyKey, type Idempotency } from '#libs/emails';
import type { FastifyReply, FastifyRequest } from 'fastify';

const HASH_WITHOUT_BODY = createHash('sha256').digest();

/**
 * The idempotency of one operation: the key of the header, scoped to the account, its mode and the operation, and bound
 * to the exact bytes of the body. Null without the header.
 * @throws Refusal `invalid_idempotency_key`
 */
export function requestIdempotency(request: FastifyRequest, caller: Principal, operation: string): Idempotency | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !isIdempotencyKey(key)) throw new Refusal('invalid_idempotency_key');
  return {
    scope: `${caller.accountId}:${caller.mode}:${operation}`,
    key,
    bodyHash: request.bodyHash ?? HASH_WITHOUT_BODY,
  };
}

/** Marks a response that repeats the result of an earlier request with the same key. */
export function markReplayed(reply: FastifyReply, { replayed }: { replayed: boolean }): void {
  if (replayed) void reply.header('idempotent-replayed', 'true');
}
