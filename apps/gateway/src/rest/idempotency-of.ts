import { createHash } from 'node:crypto';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { isIdempotencyKey, type Idempotency } from '#libs/emails';
import type { FastifyRequest } from 'fastify';

const NO_BODY = createHash('sha256').digest();

/**
 * The idempotency of one operation: the key of the header, within this account, mode and operation (the bare path and
 * `/v1` are one), bound to the exact bytes of the body. Null without the header. @throws `invalid_idempotency_key`.
 */
export function idempotencyOf(request: FastifyRequest, caller: Principal, operation: string): Idempotency | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !isIdempotencyKey(key)) throw new Refusal('invalid_idempotency_key');
  return {
    scope: `${caller.accountId}:${caller.mode}:${operation}`,
    key,
    bodyHash: request.bodyHash ?? NO_BODY,
  };
}
