import { Refusal } from '#libs/contracts';
import type { Database, Queryable } from '#libs/persistence';
import type { NewKey } from './insert-mails.js';
import type { Parcel, Written } from './parcel.js';
import type { Idempotency } from './submission.js';

const keyName = ({ scope, key }: Pick<NewKey, 'scope' | 'key'>): string => `${scope}\n${key}`;

/** In one order for every group of every process: two groups never wait for each other's keys in a ring. */
const inOrder = (keys: NewKey[]): NewKey[] => keys.sort((a, b) => (keyName(a) < keyName(b) ? -1 : 1));

/** The keys of a group, in the one order that all groups take them in; null when two parcels bring the same. */
export function newKeys(parcels: readonly Parcel[]): NewKey[] | null {
  const keys = parcels.flatMap(keysOf);
  return new Set(keys.map(keyName)).size < keys.length ? null : inOrder(keys);
}

const scopesOf = ({ scope, alias }: Idempotency): string[] => (alias === undefined ? [scope] : [scope, alias]);

/** What a parcel's key is kept as: one row for each of its scopes. */
function keysOf(parcel: Parcel): NewKey[] {
  const { idempotency } = parcel;
  if (idempotency === null) return [];
  const { key, bodyHash } = idempotency;
  const response = parcel.answer(new Set(parcel.mails));
  return scopesOf(idempotency).map((scope) => ({ scope, key, bodyHash: bodyHash ?? Buffer.alloc(0), response }));
}

/** Of a row: `now()` is the time of the transaction. */
const TAKEN_HERE = 'k.created_at = now()';

/**
 * Idempotency keys in the accept transaction (D-25): a key exists exactly if its mail does. Kept 24 hours. A parcel that
 * has any of its scopes in common with an earlier one is a repetition of that.
 */
export class IdempotencyKeys {
  constructor(private readonly database: Database) {}

  /** Parcels whose key is theirs now, or that have none. A key that two parcels bring belongs to the first. */
  async take(tx: Queryable, parcels: Parcel[]): Promise<Parcel[]> {
    const keysOfFirst = new Map<Parcel, NewKey[]>();
    const named = new Set<string>();
    for (const parcel of parcels) {
      const keys = keysOf(parcel);
      if (keys.some((key) => named.has(keyName(key)))) continue;
      for (const key of keys) named.add(keyName(key));
      keysOfFirst.set(parcel, keys);
    }
    if (named.size === 0) return parcels;
    const won = await this.insert(tx, inOrder([...keysOfFirst.values()].flat()));
    const isWon = (key: NewKey): boolean => won.has(keyName(key));
    const repeated = [...keysOfFirst].flatMap(([parcel, keys]) => (keys.every(isWon) ? [] : [parcel]));
    await this.giveBack(tx, repeated);
    return [...keysOfFirst.keys()].filter((parcel) => !repeated.includes(parcel));
  }

  /** @returns the names of those that were new, or had ended. */
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
   * What this transaction took for parcels that leave the group, whose own one takes it again, and for repetitions; the
   * rows of others stay.
   */
  async giveBack(tx: Queryable, parcels: Parcel[]): Promise<void> {
    const keys = parcels.flatMap(keysOf);
    if (keys.length === 0) return;
    await tx.query(
      `DELETE FROM idempotency_keys k USING unnest($1::text[], $2::text[]) AS g (scope, key)
       WHERE k.scope = g.scope AND k.key = g.key AND ${TAKEN_HERE}`,
      [keys.map((key) => key.scope), keys.map((key) => key.key)],
    );
  }

  /** The answer of a key that was taken in this transaction, now that it is known in full. */
  async answer(tx: Queryable, idempotency: Idempotency | null, answer: unknown): Promise<void> {
    if (idempotency === null) return;
    await tx.query(`UPDATE idempotency_keys k SET response = $3 WHERE scope = ANY($1) AND key = $2 AND ${TAKEN_HERE}`, [
      scopesOf(idempotency),
      idempotency.key,
      JSON.stringify(answer),
    ]);
  }

  /** The answer that the key's first request got; null without one. @throws Refusal `idempotency_mismatch`. */
  async earlier(idempotency: Idempotency): Promise<Written | null> {
    const { key, bodyHash } = idempotency;
    const { rows } = await this.database.query<{ body_hash: Buffer; response: unknown }>(
      `SELECT body_hash, response FROM idempotency_keys
       WHERE scope = ANY($1) AND key = $2 AND created_at >= now() - interval '24 hours' ORDER BY created_at LIMIT 1`,
      [scopesOf(idempotency), key],
    );
    if (rows.length === 0) return null;
    if (bodyHash && !bodyHash.equals(rows[0].body_hash)) throw new Refusal('idempotency_mismatch');
    return { replayed: true, answer: rows[0].response, mails: new Set() };
  }
}
