import { LIMITS, Refusal } from '#libs/contracts';
import { Config, TtlCache } from '#libs/kernel';
import { Database, GroupCommit, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { UsageView } from '../usage.resource.js';
import { AllowanceWarnings, type Reservation } from './warnings.js';

/** A reservation of units; `limit` is the result of `Allowances.limitOf`. */
export interface AllowanceClaim {
  accountId: string;
  /** More than 0. */
  units: number;
  limit: number;
}

/** `used` and `remaining` are null for an unlimited plan, which is not counted. */
export interface AllowanceUsage extends Pick<UsageView, 'plan' | 'month' | 'limit' | 'used' | 'remaining'> {
  resetsAt: Date;
}

const CACHE_MS = 500;
const CACHED_ACCOUNTS = 20_000;

const PLANS = 'SELECT id, plan, sending_pause IS NOT NULL AS paused FROM accounts WHERE id = ANY($1::text[])';

/** What an account may send at present. */
interface SendingRights {
  plan: string;
  limit: number | null;
  paused: boolean;
}

const THIS_MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/**
 * Locks rows in the order of their accounts, which prevents deadlocks between groups. An existing row is locked even if the
 * claim does not fit, so that the next claim of this transaction is decided by the same count.
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
  RETURNING a.account_id AS "accountId", a.month::text, a.monthly_limit::float8 AS "limit", a.used::float8, a.warned_percent AS warned`;

const REFUND = `
  UPDATE allowances SET used = greatest(0, used - $2::bigint)
   WHERE account_id = $1 AND month = ${THIS_MONTH} AND month = date_trunc('month', $3::timestamptz AT TIME ZONE 'UTC')`;

const USAGE = `
  SELECT to_char(${THIS_MONTH}, 'YYYY-MM') AS month, a.plan,
         coalesce((SELECT used::float8 FROM allowances WHERE account_id = a.id AND month = ${THIS_MONTH}), 0) AS used,
         (${THIS_MONTH} + interval '1 month') AT TIME ZONE 'UTC' AS "resetsAt"
    FROM accounts a WHERE a.id = $1`;

/** What each account may send: its monthly allowance, and whether it is paused. Allowances are by calendar months in UTC and the clock of the database. */
@Injectable()
export class Allowances {
  /** A message costs one unit per recipient, or one unit. */
  readonly unit: 'recipient' | 'message';
  private readonly weights: Readonly<Record<string, number>>;
  private readonly rights: TtlCache<SendingRights>;
  private readonly warnings = new AllowanceWarnings();

  constructor(
    private readonly database: Database,
    config: Config,
  ) {
    this.weights = config.settings.PLAN_WEIGHTS;
    this.unit = config.settings.ALLOWANCE_UNIT;
    const lookups = new GroupCommit<string, SendingRights | null>({
      commit: (ids) => rightsOf(database, ids),
      maxItems: 500,
    });
    this.rights = new TtlCache({
      load: (accountId) => lookups.add(accountId),
      ttlMs: CACHE_MS,
      maxEntries: CACHED_ACCOUNTS,
    });
  }

  /** Units per month; null for unlimited, 0 for an unknown account. Cached for at most half a second. */
  async limitOf(accountId: string): Promise<number | null> {
    const rights = await this.rights.get(accountId);
    return rights === null ? 0 : rights.limit;
  }

  /** Weight of the account in the turns at a destination, by its plan. Cached for at most half a second. */
  async weightOf(accountId: string): Promise<number> {
    const rights = await this.rights.get(accountId);
    return (rights && this.weights[rights.plan]) ?? 1;
  }

  /** A pause takes effect within a second. @throws Refusal sending_paused (403) */
  async assertNotPaused(accountId: string): Promise<void> {
    if (!(await this.rights.get(accountId))?.paused) return;
    const message = 'sending of this account is paused; `GET /account` has the figures';
    throw new Refusal('sending_paused', [{ field: '', code: 'sending_paused', message }]);
  }

  /**
   * Reserves the claims that fit, in the caller's transaction, and returns for each claim whether it did. The accounts of
   * the claims are distinct. Reaching 80 and 100% of a limit appends `account.allowance_warning`, once each per month.
   */
  async reserve(tx: Queryable, claims: readonly AllowanceClaim[]): Promise<boolean[]> {
    if (claims.length === 0) return [];
    const { rows } = await tx.query<Reservation>({
      name: 'allowances-reserve',
      text: RESERVE,
      values: [claims.map((c) => c.accountId), claims.map((c) => c.units), claims.map((c) => c.limit)],
    });
    await this.warnings.append(tx, rows);
    const reserved = new Set(rows.map((row) => row.accountId));
    return claims.map((claim) => reserved.has(claim.accountId));
  }

  /** Returns the units of mail that was accepted in `month` and will not be sent; has no effect after that month. */
  async refund(tx: Queryable, claim: { accountId: string; units: number; month: Date }): Promise<void> {
    await tx.query(REFUND, [claim.accountId, claim.units, claim.month]);
  }

  /** Not cached. */
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

async function rightsOf(database: Database, ids: string[]): Promise<(SendingRights | null)[]> {
  const { rows } = await database.query<{ id: string; plan: string; paused: boolean }>({
    name: 'account-plans',
    text: PLANS,
    values: [ids],
  });
  const rights = new Map(rows.map(({ id, plan, paused }) => [id, { plan, limit: monthlyLimit(plan), paused }]));
  return ids.map((id) => rights.get(id) ?? null);
}

/** Units per month of a plan: null for `unlimited`, otherwise the number that the plan is. */
export function monthlyLimit(plan: string): number | null {
  if (plan === 'unlimited') return null;
  return plan === 'free' ? LIMITS.freePlanUnits : Number(plan);
}
