import type { Queryable } from '#libs/persistence';

/** Ended deliveries of one account. */
export interface OutcomeCounts {
  recipients: number;
  hardBounces: number;
  complaints: number;
  /** Replies that refused or deferred a message as unwanted. */
  blocks: number;
}

/** The sums of one account over the window. */
export interface OutcomeTotals extends OutcomeCounts {
  accountId: string;
}

export const NO_OUTCOMES: OutcomeCounts = Object.freeze({ recipients: 0, hardBounces: 0, complaints: 0, blocks: 0 });

/** Adds counts to the rows of one slot, in the order of their accounts, which prevents deadlocks between programs. */
export async function addOutcomes(
  db: Queryable,
  slot: Date,
  counts: ReadonlyMap<string, OutcomeCounts>,
): Promise<void> {
  const added = [...counts].filter(([, of]) => of.recipients + of.hardBounces + of.complaints + of.blocks > 0);
  if (added.length === 0) return;
  await db.query({
    name: 'sending-outcomes-add',
    text: `INSERT INTO sending_outcomes AS o (account_id, slot, recipients, hard_bounces, complaints, blocks)
           SELECT v.account_id, $1, v.recipients, v.hard_bounces, v.complaints, v.blocks
             FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
                  AS v (account_id, recipients, hard_bounces, complaints, blocks)
            ORDER BY v.account_id COLLATE "C"
           ON CONFLICT (account_id, slot) DO UPDATE
              SET recipients = o.recipients + excluded.recipients,
                  hard_bounces = o.hard_bounces + excluded.hard_bounces,
                  complaints = o.complaints + excluded.complaints,
                  blocks = o.blocks + excluded.blocks`,
    values: [
      slot,
      added.map(([accountId]) => accountId),
      added.map(([, of]) => of.recipients),
      added.map(([, of]) => of.hardBounces),
      added.map(([, of]) => of.complaints),
      added.map(([, of]) => of.blocks),
    ],
  });
}

export async function totalsOf(db: Queryable, accountIds: readonly string[], since: Date): Promise<OutcomeTotals[]> {
  const { rows } = await db.query<OutcomeTotals>({
    name: 'sending-outcomes-totals',
    text: `SELECT account_id AS "accountId", sum(recipients)::float8 AS recipients,
                  sum(hard_bounces)::float8 AS "hardBounces", sum(complaints)::float8 AS complaints,
                  sum(blocks)::float8 AS blocks
             FROM sending_outcomes WHERE account_id = ANY($1::text[]) AND slot > $2 GROUP BY account_id`,
    values: [accountIds, since],
  });
  return rows;
}

/** The sums of all accounts outside the penalty pool but one. */
export async function totalsOfOthers(
  db: Queryable,
  { accountId }: OutcomeTotals,
  since: Date,
): Promise<Pick<OutcomeCounts, 'recipients' | 'blocks'>> {
  const { rows } = await db.query<Pick<OutcomeCounts, 'recipients' | 'blocks'>>({
    name: 'sending-outcomes-others',
    text: `SELECT coalesce(sum(o.recipients), 0)::float8 AS recipients, coalesce(sum(o.blocks), 0)::float8 AS blocks
             FROM sending_outcomes o JOIN accounts a ON a.id = o.account_id
            WHERE o.slot > $1 AND o.account_id <> $2 AND a.penalty IS NULL`,
    values: [since, accountId],
  });
  return rows[0];
}

/** An account begins anew when it is resumed. */
export async function forgetOutcomes(tx: Queryable, accountId: string): Promise<void> {
  await tx.query('DELETE FROM sending_outcomes WHERE account_id = $1', [accountId]);
}

export async function pruneOutcomes(db: Queryable, before: Date): Promise<void> {
  await db.query('DELETE FROM sending_outcomes WHERE slot <= $1', [before]);
}
