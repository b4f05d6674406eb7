import type { Database, Partitions } from '#libs/persistence';

/** The conditions of the partial indexes on recipients, which contain unsettled recipients only. */
const UNSETTLED = [
  'due_at IS NOT NULL AND claimed_by IS NULL AND is_due IS NULL',
  'due_at IS NOT NULL AND claimed_by IS NULL AND is_due',
  'due_at IS NOT NULL AND claimed_by IS NULL AND NOT is_due',
  'claimed_by IS NOT NULL',
];

const KEYS = `
  SELECT email_id FROM (${UNSETTLED.map(
    (condition) => `
    SELECT email_id FROM recipients WHERE ${condition} AND email_id >= $1 AND email_id < $2`,
  ).join(' UNION ALL')}) AS unsettled GROUP BY email_id ORDER BY email_id LIMIT $3`;

/**
 * An SQL condition: the email with the id `id`, an expression that is not a column of `recipients`, is still to be delivered. A
 * scalar subquery, because the planner may turn EXISTS into a scan of all recipients.
 */
export const isUnsettled = (id: string): string =>
  `coalesce((SELECT true FROM recipients WHERE recipients.email_id = ${id}
               AND (recipients.due_at IS NOT NULL OR recipients.claimed_by IS NOT NULL) LIMIT 1), false)`;

/** Retention keeps what the delivery of an email needs. An email that is settled is never sent again. */
export const unsettledEmails = (database: Database): NonNullable<Parameters<Partitions['expire']>[2]> => ({
  keys: async ({ from, to }, limit) => {
    const { rows } = await database.query<{ email_id: string }>(KEYS, [from, to, limit]);
    return rows.map(({ email_id }) => email_id);
  },
  condition: isUnsettled,
});
