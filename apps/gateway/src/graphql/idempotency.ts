import { createHash } from 'node:crypto';
import type { Principal } from '#libs/accounts';
import { LIMITS, Refusal } from '#libs/contracts';
import { isIdempotencyKey, type Idempotency } from '#libs/emails';
import { yielding } from '#libs/kernel';

/** The argument with the key. */
export const IDEMPOTENCY_KEY = {
  type: () => String,
  nullable: true,
  description:
    `A key of your choice, 1 to ${LIMITS.idempotencyKeyLength} printable characters, kept for ${LIMITS.idempotencyHours} ` +
    'hours. Repeating the call with the same key and input has no further effect and returns the first result. Another ' +
    'input with the same key is refused.',
};

/**
 * The idempotency of one field: the key of the argument, scoped to the account, its mode and the field, and bound to the
 * inputs. They are hashed as the schema orders their members, so the order in the request does not matter. Null without a key.
 * @throws Refusal `invalid_idempotency_key`
 */
export async function fieldIdempotency(
  key: string | null | undefined,
  { caller, field, inputs }: { caller: Principal; field: string; inputs: readonly unknown[] },
): Promise<Idempotency | null> {
  if (key === null || key === undefined) return null;
  if (!isIdempotencyKey(key)) throw new Refusal('invalid_idempotency_key');
  const hash = createHash('sha256');
  for (const [i, input] of inputs.entries()) {
    // One email may have ten megabytes.
    if (i > 0) await yielding.pause();
    hash.update(`${JSON.stringify(input) ?? ''}\n`);
  }
  return { scope: `${caller.accountId}:${caller.mode}:graphql.${field}`, key, bodyHash: hash.digest() };
}
