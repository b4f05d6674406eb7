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
  for (const key of parcels.flatMap(keysOf)) {
    const name = keyName(key) as string;
    if (keys.has(name)) return null;
    keys.set(name, key);
  }
  return [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}

const scopesOf = ({ scope, alias }: Idempotency): string[] => (alias === undefined ? [scope] : [scope, alias]);

/** What a parcel's key is kept as: one row for each of its scopes, the first of which decides whether it is new. */
function keysOf(parcel: Parcel): NewKey[] {
  const { idempotency } = parcel;
  if (idempotency === null) return [];
  const { key, bodyHash } = idempotency;
  const response = parcel.answer(new Set(parcel.mails));
  return scopesOf(idempotency).map((scope) => ({ scope, key, bodyHash: bodyHash ?? Buffer.alloc(0), response }));
}

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
    const keyed = [...firstOf].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, parcel]) => keysOf(parcel));
    const won = await this.insert(
      tx,
      keyed.map(([key]) => key),
    );
    const aliases = keyed.flatMap(([key, ...others]) => (won.has(keyName(key)) ? others : []));
    if (aliases.length > 0) await this.insert(tx, aliases);
    return parcels.filter((parcel) => {
      const name = keyName(parcel.idempotency);
      return name === null || (won.has(name) && firstOf.get(name) === parcel);
    });
  }

  /** @returns the names of those that were new, or had ended. */
  private async insert(tx: Queryable, keys: NewKey[]): Promise<Set<string | null>> {
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
    return new Set(rows.map((row) => keyName(row)));
  }

  /** Keys of parcels that leave the group: their own transaction takes them again. */
  async giveBack(tx: Queryable, parcels: Parcel[]): Promise<void> {
    const keys = parcels.flatMap(keysOf);
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
    await tx.query('UPDATE idempotency_keys SET response = $3 WHERE scope = ANY($1) AND key = $2', [
      scopesOf(idempotency),
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
