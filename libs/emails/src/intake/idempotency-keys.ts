import { Refusal } from '#libs/contracts';
import type { Database, Queryable } from '#libs/persistence';
import type { NewKey } from './insert-mails.js';
import type { Parcel, Written } from './parcel.js';
import type { Idempotency } from './submission.js';

const keyName = (of: { scope: string; key: string } | null): string | null =>
  of === null ? null : `${of.scope}\n${of.key}`;

/** The keys of a group, in the one order that all groups take them in; null when two parcels bring the same. */
export function newKeys(parcels: readonly Parcel[]): NewKey[] | null {
  const keys = new Map<string, NewKey>();
  for (const parcel of parcels) {
    const name = keyName(parcel.idempotency);
    if (name === null || parcel.idempotency === null) continue;
    if (keys.has(name)) return null;
    keys.set(name, newKey(parcel, parcel.idempotency));
  }
  return [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}

const newKey = (parcel: Parcel, { scope, key, bodyHash }: Idempotency): NewKey => ({
  scope,
  key,
  bodyHash: bodyHash ?? Buffer.alloc(0),
  response: parcel.answer(new Set(parcel.mails)),
});

/** Idempotency keys in the accept transaction (D-25): a key exists exactly if its mail does. Kept 24 hours. */
export class IdempotencyKeys {
  constructor(private readonly database: Database) {}

  /** Parcels whose key is theirs now, or that have none. A key that two parcels bring belongs to the first. */
  async take(tx: Queryable, parcels: Parcel[]): Promise<Parcel[]> {
    const firstOf = new Map<string, Parcel>();
    for (const parcel of parcels) {
      const name = keyName(parcel.idempotency);
      if (name !== null && !firstOf.has(name)) firstOf.set(name, parcel);
    }
    if (firstOf.size === 0) return parcels;
    // In one order for every group of every process: two groups never wait for each other's keys in a ring.
    const keyed = [...firstOf].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, parcel]) => parcel);
    const { rows } = await tx.query<{ scope: string; key: string }>({
      name: 'accept-keys',
      text: `INSERT INTO idempotency_keys AS k (scope, key, body_hash, response)
             SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::jsonb[])
             ON CONFLICT (scope, key) DO UPDATE SET body_hash = excluded.body_hash, response = excluded.response, created_at = now()
             WHERE k.created_at < now() - interval '24 hours'
             RETURNING scope, key`,
      values: [
        keyed.map((parcel) => parcel.idempotency?.scope),
        keyed.map((parcel) => parcel.idempotency?.key),
        keyed.map((parcel) => parcel.idempotency?.bodyHash ?? Buffer.alloc(0)),
        keyed.map((parcel) => JSON.stringify(parcel.answer(new Set(parcel.mails)))),
      ],
    });
    const won = new Set(rows.map((row) => keyName(row)));
    return parcels.filter((parcel) => {
      const name = keyName(parcel.idempotency);
      return name === null || (won.has(name) && firstOf.get(name) === parcel);
    });
  }

  /** Keys of parcels that leave the group: their own transaction takes them again. */
  async giveBack(tx: Queryable, parcels: Parcel[]): Promise<void> {
    const keys = parcels.flatMap((parcel) => (parcel.idempotency === null ? [] : [parcel.idempotency]));
    if (keys.length === 0) return;
    await tx.query(
      `DELETE FROM idempotency_keys k USING unnest($1::text[], $2::text[]) AS g (scope, key)
       WHERE k.scope = g.scope AND k.key = g.key`,
      [keys.map((key) => key.scope), keys.map((key) => key.key)],
    );
  }

  /** The answer of a key that was taken in this transaction, now that it is known in full. */
  async answer(tx: Queryable, idempotency: Idempotency | null, answer: unknown): Promise<void> {
    if (idempotency === null) return;
    await tx.query('UPDATE idempotency_keys SET response = $3 WHERE scope = $1 AND key = $2', [
      idempotency.scope,
      idempotency.key,
      JSON.stringify(answer),
    ]);
  }

  /** The answer that the key's first request got; null without one. @throws Refusal `idempotency_mismatch`. */
  async earlier({ scope, key, bodyHash }: Idempotency): Promise<Written | null> {
    const { rows } = await this.database.query<{ body_hash: Buffer; response: unknown }>(
      `SELECT body_hash, response FROM idempotency_keys
       WHERE scope = $1 AND key = $2 AND created_at >= now() - interval '24 hours'`,
      [scope, key],
    );
    if (rows.length === 0) return null;
    if (bodyHash && !bodyHash.equals(rows[0].body_hash)) throw new Refusal('idempotency_mismatch');
    return { replayed: true, answer: rows[0].response, mails: new Set() };
  }
}
