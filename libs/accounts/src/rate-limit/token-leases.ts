import { GroupCommit, type Database } from '#libs/persistence';

export interface Lease {
  granted: number;
  /** Tokens left in the shared bucket. */
  tokens: number;
}

/** `granted` is a column because UPDATE can return only columns of the row. */
const LEASE = `
  INSERT INTO rate_buckets AS b (account_id, tokens, granted, filled_at)
  SELECT q.account_id, $2::float8 - $3::int, $3::int, now()
    FROM unnest($1::text[]) AS q (account_id)
   ORDER BY q.account_id COLLATE "C"
  ON CONFLICT (account_id) DO UPDATE
     SET tokens = FILLED - least($3::int, floor(FILLED)::int),
         granted = least($3::int, floor(FILLED)::int),
         filled_at = greatest(b.filled_at, now())
  RETURNING b.account_id AS "accountId", b.granted, b.tokens`.replaceAll(
  'FILLED',
  // A transaction that began earlier may lock the row later; time must not run backwards for a bucket.
  'least($2::float8, b.tokens + greatest(0, extract(epoch FROM now() - b.filled_at)::float8) * $2::float8)',
);

/**
 * Leases tokens from the bucket of an account in the database: `limit` per second, burst `limit`. Concurrent leases of
 * different accounts share a query.
 */
export class TokenLeases {
  private readonly leases: GroupCommit<string, Lease>;

  constructor(database: Database, limits: { limit: number; slice: number }) {
    this.leases = new GroupCommit({
      commit: (accountIds) => lease(database, accountIds, limits),
      maxItems: 200,
    });
  }

  /** At most `slice` tokens, none from an empty bucket. Not concurrently for one account. */
  take(accountId: string): Promise<Lease> {
    return this.leases.add(accountId);
  }
}

async function lease(
  database: Database,
  accountIds: string[],
  { limit, slice }: { limit: number; slice: number },
): Promise<Lease[]> {
  const { rows } = await database.query<Lease & { accountId: string }>({
    name: 'rate-leases',
    text: LEASE,
    values: [accountIds, limit, slice],
  });
  const leases = new Map(rows.map((row) => [row.accountId, row]));
  return accountIds.map((id) => leases.get(id) as Lease);
}
