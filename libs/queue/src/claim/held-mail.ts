import type { Accounts } from '#libs/accounts';
import type { Database } from '#libs/persistence';
import { holdOf, type Hold } from './held-accounts.js';

/** Recipients released by one statement. */
const RELEASE_BATCH = 1_000;
/** Accounts looked at by one round; the next one continues after them. */
const ACCOUNTS_PER_ROUND = 1_000;
const IS_HELD = 'due_at IS NOT NULL AND claimed_by IS NULL AND NOT is_due';

/**
 * Mail that was due while its account may not send. It is marked once, by the claim that finds it, and is in neither index of
 * due mail afterwards. It comes back in batches when its account may send again; and when its lifetime is over, so that
 * the claim ends it.
 */
export class HeldMail {
  /** The account after which the next round starts. */
  private last = '';
  /** What was held of each account in the last rounds. */
  private readonly holds = new Map<string, Hold>();

  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
  ) {}

  /** Returns the number of recipients that are due again. */
  async release(): Promise<number> {
    const ids = await this.accountsWithHeldMail();
    this.last = ids.length === ACCOUNTS_PER_ROUND ? (ids.at(-1) ?? '') : '';
    if (ids.length === 0) return 0;
    const found = new Map((await this.accounts.findAll(ids)).map((account) => [account.id, account]));
    const resumed: string[] = [];
    for (const id of ids) {
      const hold = holdOf(found.get(id));
      // Test mail is held for a blocked account, and not for a paused one.
      if (hold === 'none' || (hold === 'live' && this.holds.get(id) === 'all')) resumed.push(id);
      if (hold === 'none') this.holds.delete(id);
      else this.holds.set(id, hold);
    }
    return (await this.releaseOf(resumed, 'all')) + (await this.releaseOf(ids, 'expired'));
  }

  private async accountsWithHeldMail(): Promise<string[]> {
    const next = (behind: string) =>
      `SELECT r.account_id FROM recipients r WHERE r.account_id > ${behind} AND ${IS_HELD} ORDER BY r.account_id LIMIT 1`;
    const { rows } = await this.database.query<{ account_id: string }>({
      name: 'queue-held-accounts',
      text: `WITH RECURSIVE held AS (
               (${next('$1')})
               UNION ALL
               SELECT following.account_id FROM held CROSS JOIN LATERAL (${next('held.account_id')}) AS following)
             SELECT account_id FROM held LIMIT ${ACCOUNTS_PER_ROUND}`,
      values: [this.last],
    });
    return rows.map(({ account_id }) => account_id);
  }

  private async releaseOf(accountIds: string[], which: 'all' | 'expired'): Promise<number> {
    if (accountIds.length === 0) return 0;
    const { rowCount } = await this.database.query({
      name: 'queue-release-held',
      text: `WITH held AS (
               SELECT mail.email_id, mail.ordinal FROM unnest($1::text[]) AS account(id)
               CROSS JOIN LATERAL (
                 SELECT email_id, ordinal FROM recipients
                 WHERE account_id = account.id AND ($2 OR expires_at < now()) AND ${IS_HELD}
                 ORDER BY expires_at LIMIT ${RELEASE_BATCH} FOR UPDATE SKIP LOCKED) AS mail
               LIMIT ${RELEASE_BATCH})
             UPDATE recipients r SET is_due = true FROM held WHERE r.email_id = held.email_id AND r.ordinal = held.ordinal`,
      values: [accountIds, which === 'all'],
    });
    return rowCount;
  }
}
