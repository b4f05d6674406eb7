import { Refusal } from '#libs/contracts';
import type { Database, Queryable } from '#libs/persistence';
import type { NewKey } from './insert-emails.js';
import type { AcceptRequest, AcceptResult } from './accept-request.js';
import type { Idempotency } from './submission.js';

const keyName = ({ scope, key }: Pick<NewKey, 'scope' | 'key'>): string => `${scope}\n${key}`;

/** One order for all groups of all processes prevents deadlocks. */
const inOrder = (keys: NewKey[]): NewKey[] => keys.sort((a, b) => (keyName(a) < keyName(b) ? -1 : 1));

/** The keys of a group in lock order; null if two requests have the same key. */
export function newKeys(requests: readonly AcceptRequest[]): NewKey[] | null {
  const keys = requests.flatMap(keysOf);
  return new Set(keys.map(keyName)).size < keys.length ? null : inOrder(keys);
}

const scopesOf = ({ scope, alias }: Idempotency): string[] => (alias === undefined ? [scope] : [scope, alias]);

/** The rows of a request's key: one per scope. */
function keysOf(request: AcceptRequest): NewKey[] {
  const { idempotency } = request;
  if (idempotency === null) return [];
  const { key, bodyHash } = idempotency;
  const response = request.answer(new Set(request.emails));
  return scopesOf(idempotency).map((scope) => ({ scope, key, bodyHash: bodyHash ?? Buffer.alloc(0), response }));
}

/** `now()` is the time of the transaction, so this is true for rows written by it. */
const ACQUIRED_HERE = 'k.created_at = now()';

/**
 * Idempotency keys in the accept transaction: a key exists exactly if its email does, for 24 hours. A request that
 * shares a scope and key with an earlier one is a repetition of it (docs/decisions/016-idempotency-and-batches.md).
 */
export class IdempotencyKeys {
  constructor(private readonly database: Database) {}

  /**
   * Returns the requests that acquired their key or have none. If two requests have the same key, the first one gets
   * it.
   */
  async acquire(tx: Queryable, requests: AcceptRequest[]): Promise<AcceptRequest[]> {
    const keysOfFirst = new Map<AcceptRequest, NewKey[]>();
    const named = new Set<string>();
    for (const request of requests) {
      const keys = keysOf(request);
      if (keys.some((key) => named.has(keyName(key)))) continue;
      for (const key of keys) named.add(keyName(key));
      keysOfFirst.set(request, keys);
    }
    if (named.size === 0) return requests;
    const won = await this.insert(tx, inOrder([...keysOfFirst.values()].flat()));
    const isWon = (key: NewKey): boolean => won.has(keyName(key));
    const repeated = [...keysOfFirst].flatMap(([request, keys]) => (keys.every(isWon) ? [] : [request]));
    await this.release(tx, repeated);
    return [...keysOfFirst.keys()].filter((request) => !repeated.includes(request));
  }

  /** Returns the names of the keys that were new or expired. */
  private async insert(tx: Queryable, keys: NewKey[]): Promise<Set<string>> {
    const { rows } = await tx.query<{ scope: string; key: string }>({
      name: 'accept-keys',
      text: `INSERT INTO idempotency_keys AS k (scope, key, body_hash, response)
             SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::jsonb[])
             ON CONFLICT (scope, key) DO UPDATE SET body_hash = excluded.body_hash, response = excluded.response, created_at = now()
             WHERE k.created_at < now() - interval '24 hours'
             RETURNING scope, key`,
      values: [
        keys.map(({ scope }) => scope),
        keys.map(({ key }) => key),
        keys.map(({ bodyHash }) => bodyHash),
        keys.map(({ response }) => JSON.stringify(response)),
      ],
    });
    return new Set(rows.map(keyName));
  }

  /**
   * Deletes the keys that this transaction acquired for requests that leave the group, which acquire them again in
   * their own transaction, and for repetitions. Rows of other transactions stay.
   */
  async release(tx: Queryable, requests: AcceptRequest[]): Promise<void> {
    const keys = requests.flatMap(keysOf);
    if (keys.length === 0) return;
    await tx.query(
      `DELETE FROM idempotency_keys k USING unnest($1::text[], $2::text[]) AS g (scope, key)
       WHERE k.scope = g.scope AND k.key = g.key AND ${ACQUIRED_HERE}`,
      [keys.map((key) => key.scope), keys.map((key) => key.key)],
    );
  }

  /** Stores the complete answer under a key acquired in this transaction. */
  async storeAnswer(tx: Queryable, idempotency: Idempotency | null, answer: unknown): Promise<void> {
    if (idempotency === null) return;
    await tx.query(
      `UPDATE idempotency_keys k SET response = $3 WHERE scope = ANY($1) AND key = $2 AND ${ACQUIRED_HERE}`,
      [scopesOf(idempotency), idempotency.key, JSON.stringify(answer)],
    );
  }

  /** Returns the result of the first request with this key, or null. @throws Refusal `idempotency_mismatch`. */
  async earlierResult(idempotency: Idempotency): Promise<AcceptResult | null> {
    const { key, bodyHash } = idempotency;
    const { rows } = await this.database.query<{ body_hash: Buffer; response: unknown }>(
      `SELECT body_hash, response FROM idempotency_keys
       WHERE scope = ANY($1) AND key = $2 AND created_at >= now() - interval '24 hours' ORDER BY created_at LIMIT 1`,
      [scopesOf(idempotency), key],
    );
    if (rows.length === 0) return null;
    if (bodyHash && !bodyHash.equals(rows[0].body_hash)) throw new Refusal('idempotency_mismatch');
    return { replayed: true, answer: rows[0].response, emails: new Set() };
  }
}
