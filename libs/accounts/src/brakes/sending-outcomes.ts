import type { Queryable } from '#libs/persistence';

/** Ended deliveries of one account. */
export interface OutcomeCounts {
  recipients: number;
  hardBounces: number;
  complaints: number;
}

/** The sums of one account over the window. */
export interface OutcomeTotals extends OutcomeCounts {
  accountId: string;
}

/** Adds counts to the rows of one slot, in the order of their accounts, which prevents deadlocks between programs. */
export async function addOutcomes(
  db: Queryable,
  slot: Date,
  counts: ReadonlyMap<string, OutcomeCounts>,
): Promise<void> {
  const added = [...counts].filter(([, of]) => of.recipients + of.hardBounces + of.complaints > 0);
  if (added.length === 0) return;
  await db.query({
    name: 'sending-outcomes-add',
    text: `INSERT INTO sending_outcomes AS o (account_id, slot, recipients, hard_bounces, complaints)
           SELECT v.account_id, $1, v.recipients, v.hard_bounces, v.complaints
             FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
                  AS v (account_id, recipients, hard_bounces, complaints)
            ORDER BY v.account_id COLLATE "C"
           ON CONFLICT (account_id, slot) DO UPDATE
              SET recipients = o.recipients + excluded.recipients,
                  hard_bounces = o.hard_bounces + excluded.hard_bounces,
                  complaints = o.complaints + excluded.complaints`,
    values: [
      slot,
      added.map(([accountId]) => accountId),
      added.map(([, of]) => of.recipients),
      added.map(([, of]) => of.hardBounces),
      added.map(([, of]) => of.complaints),
    ],
  });
}

export async function totalsOf(db: Queryable, accountIds: readonly string[], since: Date): Promise<OutcomeTotals[]> {
  const { rows } = await db.query<OutcomeTotals>({
    name: 'sending-outcomes-totals',
    text: `SELECT account_id AS "accountId", sum(recipients)::float8 AS recipients,
                  sum(hard_bounces)::float8 AS "hardBounces", sum(complaints)::float8 AS complaints
             FROM sending_outcomes WHERE account_id = ANY($1::text[]) AND slot > $2 GROUP BY account_id`,
    values: [accountIds, since],
  });
  return rows;
}

/** An account begins anew when it is resumed. */
export async function forgetOutcomes(tx: Queryable, accountId: string): Promise<void> {
  await tx.query('DELETE FROM sending_outcomes WHERE account_id = $1', [accountId]);
}

export async function pruneOutcomes(db: Queryable, before: Date): Promise<void> {
  await db.query('DELETE FROM sending_outcomes WHERE slot <= $1', [before]);
}
