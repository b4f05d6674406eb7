import { Config, RecentAnswers } from '#libs/kernel';
import { Database, GroupCommit, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { AllowanceWarnings, type Booking } from './allowance-warnings.js';
import { monthlyLimit } from './monthly-limit.js';

/** What one account wants of its month, by the limit that `Allowances.limitOf` gave. */
export interface AllowanceClaim {
  accountId: string;
  /** More than 0. */
  units: number;
  limit: number;
}

/** `used` and `remaining` are null for an unlimited plan, whose mail is not counted. */
export interface AllowanceUsage {
  /** `free`, `unlimited` or a number of units a month. */
  plan: string;
  /** The calendar month in UTC, for example `2026-03`. */
  month: string;
  limit: number | null;
  used: number | null;
  remaining: number | null;
  resetsAt: Date;
}

const CACHE_MS = 500;
const CACHED_ACCOUNTS = 20_000;

const PLANS = 'SELECT id, plan FROM accounts WHERE id = ANY($1::text[])';

const THIS_MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/**
 * Rows are locked in the order of their accounts, so that two groups never wait for each other. A row that exists is
 * locked even where the claim does not fit: what is asked next in this transaction is judged by the same count.
 */
const RESERVE = `
  INSERT INTO allowances AS a (account_id, month, monthly_limit, used)
  SELECT q.account_id, ${THIS_MONTH}, q.monthly_limit, q.units
    FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS q (account_id, units, monthly_limit)
   WHERE q.units <= q.monthly_limit
   ORDER BY q.account_id COLLATE "C"
  ON CONFLICT (account_id, month) DO UPDATE
     SET used = a.used + excluded.used, monthly_limit = excluded.monthly_limit
   WHERE a.used + excluded.used <= excluded.monthly_limit
  RETURNING a.account_id AS "accountId", a.month::text, a.monthly_limit::float8 AS "limit", a.used::float8, a.warned`;

const GIVE_BACK = `
  UPDATE allowances SET used = greatest(0, used - $2::bigint)
   WHERE account_id = $1 AND month = ${THIS_MONTH} AND month = date_trunc('month', $3::timestamptz AT TIME ZONE 'UTC')`;

const USAGE = `
  SELECT to_char(${THIS_MONTH}, 'YYYY-MM') AS month, a.plan,
         coalesce((SELECT used::float8 FROM allowances WHERE account_id = a.id AND month = ${THIS_MONTH}), 0) AS used,
         (${THIS_MONTH} + interval '1 month') AT TIME ZONE 'UTC' AS "resetsAt"
    FROM accounts a WHERE a.id = $1`;

/** The monthly allowance of each account (D-53): calendar months in UTC by the clock of the database. */
@Injectable()
export class Allowances {
  /** What a mail costs: one unit for each recipient, or one. */
  readonly unit: 'recipient' | 'message';
  private readonly plans: RecentAnswers<{ limit: number | null }>;
  private readonly warnings = new AllowanceWarnings();

  constructor(
    private readonly database: Database,
    config: Config,
  ) {
    this.unit = config.settings.ALLOWANCE_UNIT;
    const questions = new GroupCommit<string, { limit: number | null } | null>({
      commit: (ids) => limitsOf(database, ids),
      maxItems: 500,
    });
    this.plans = new RecentAnswers({
      ask: (accountId) => questions.add(accountId),
      ttlMs: CACHE_MS,
      limit: CACHED_ACCOUNTS,
    });
  }

  /** Units a month; null: unlimited. Remembered for half a second at most. An unknown account may send nothing. */
  async limitOf(accountId: string): Promise<number | null> {
    const plan = await this.plans.get(accountId);
    return plan === null ? 0 : plan.limit;
  }

  /**
   * Books what fits, in the caller's transaction, and tells for each claim whether it fitted. The claims have distinct
   * accounts. Reaching 80 and 100 % of a limit appends `account.allowance_warning`, once each a month.
   */
  async reserve(tx: Queryable, claims: readonly AllowanceClaim[]): Promise<boolean[]> {
    if (claims.length === 0) return [];
    const { rows } = await tx.query<Booking>({
      name: 'allowances-reserve',
      text: RESERVE,
      values: [claims.map((c) => c.accountId), claims.map((c) => c.units), claims.map((c) => c.limit)],
    });
    await this.warnings.append(tx, rows);
    const booked = new Set(rows.map((row) => row.accountId));
    return claims.map((claim) => booked.has(claim.accountId));
  }

  /** Of mail accepted at `month` that will not go out after all; only while that month lasts. */
  async giveBack(tx: Queryable, claim: { accountId: string; units: number; month: Date }): Promise<void> {
    await tx.query(GIVE_BACK, [claim.accountId, claim.units, claim.month]);
  }

  /** Read anew each time. */
  async usage(accountId: string): Promise<AllowanceUsage> {
    const { rows } = await this.database.query<{ month: string; plan: string; used: number; resetsAt: Date }>(USAGE, [
      accountId,
    ]);
    if (rows.length === 0) throw new Error(`there is no account ${accountId}`);
    const [{ month, plan, used, resetsAt }] = rows;
    const limit = monthlyLimit(plan);
    if (limit === null) return { plan, month, limit, used: null, remaining: null, resetsAt };
    return { plan, month, limit, used, remaining: Math.max(0, limit - used), resetsAt };
  }
}

async function limitsOf(database: Database, ids: string[]): Promise<({ limit: number | null } | null)[]> {
  const { rows } = await database.query<{ id: string; plan: string }>({
    name: 'account-plans',
    text: PLANS,
    values: [ids],
  });
  const limits = new Map(rows.map((row) => [row.id, { limit: monthlyLimit(row.plan) }]));
  return ids.map((id) => limits.get(id) ?? null);
}
