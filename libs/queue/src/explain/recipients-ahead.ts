import type { Visibility } from '#libs/contracts';
import type { RecipientRow } from '#libs/emails';
import { domainOf } from '#libs/mime';
import type { Database } from '#libs/persistence';
import { COUNTED_TO, isDueAt } from './explain-recipient.js';

/** Groups of recipients of one request that are counted for; the others are not. */
const MAX_GROUPS = 20;

interface Group {
  domain: string;
  is_bulk: boolean;
  due_at: Date;
}

/** Bulk mail comes after all transactional mail of the account, and after the bulk mail that was due before. */
const BEFORE = (isBulk: boolean): string =>
  `SELECT 1 FROM recipients r
    WHERE r.domain = waiting.domain AND r.account_id = $1 AND r.is_bulk = ${isBulk} AND r.due_at IS NOT NULL
      AND r.claimed_by IS NULL AND r.is_due
      AND r.due_at < ${isBulk ? "CASE WHEN waiting.is_bulk THEN waiting.due_at ELSE '-infinity' END" : 'CASE WHEN waiting.is_bulk THEN now() ELSE waiting.due_at END'}
    LIMIT ${COUNTED_TO}`;

/** Counts the recipients of the account before a due one, at its domain. The cost is bounded. */
export class RecipientsAhead {
  constructor(private readonly database: Database) {}

  /** By recipient. Empty if the key does not see the whole account, because the count would include what it does not see. */
  async count(
    { accountId, mode, domainIds }: Visibility,
    recipients: readonly RecipientRow[],
    now: Date,
  ): Promise<Map<RecipientRow, number>> {
    const due = recipients.filter((row) => isDueAt(row, now));
    if (due.length === 0 || mode !== 'live' || domainIds !== null) return new Map();
    const groups = new Map(due.map((row) => [keyOf(row), groupOf(row)]));
    const counted = [...groups.keys()].slice(0, MAX_GROUPS);
    const { rows } = await this.database.query<{ key: string; count: number }>(
      `SELECT waiting.key, before.count FROM json_to_recordset($2::json)
         AS waiting (key text, domain text, is_bulk boolean, due_at timestamptz)
       CROSS JOIN LATERAL (SELECT count(*)::int FROM (
         SELECT * FROM ((${BEFORE(false)}) UNION ALL (${BEFORE(true)})) AS earlier LIMIT ${COUNTED_TO}) AS counted) AS before`,
      [accountId, JSON.stringify(counted.map((key) => ({ key, ...groups.get(key) })))],
    );
    const counts = new Map(rows.map(({ key, count }) => [key, count]));
    return new Map(
      due.flatMap((row) => {
        const count = counts.get(keyOf(row));
        return count === undefined ? [] : [[row, count] as const];
      }),
    );
  }
}

const groupOf = ({ address, is_bulk, due_at }: RecipientRow): Group => ({
  domain: domainOf(address),
  is_bulk,
  due_at: due_at as Date,
});

const keyOf = (row: RecipientRow): string => {
  const { domain, is_bulk, due_at } = groupOf(row);
  return `${domain} ${is_bulk} ${due_at.toISOString()}`;
};
