import type { Page, PageRequest, SendingPause } from '#libs/contracts';
import { Config, databaseClock } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import {
  statusOf,
  type AbuseLimits,
  type AccountPenalty,
  type PoolChoice,
  type AccountStatus,
  type Standing,
} from './account.resource.js';
import { monthlyLimit } from './allowances/allowances.js';
import type { OperatorAccountView } from './operator-account.resource.js';
import { NO_OUTCOMES, totalsOf, type OutcomeCounts } from './brakes/sending-outcomes.js';

/** An account as the operator sees it. */
export interface AccountOverview {
  id: string;
  name: string;
  status: AccountStatus;
  standing: Standing;
  sendingPause: SendingPause | null;
  plan: string;
  notifyAddresses: string[];
  createdAt: Date;
  /** Units of this month and the limit of the plan; null for an unlimited plan, which is not counted. */
  usage: { used: number; limit: number } | null;
  poolChoice: PoolChoice;
  /** Null while its mail leaves from the ordinary addresses. */
  penalty: AccountPenalty | null;
  /** In place of those of the settings. */
  abuseLimits: AbuseLimits;
  /** Live recipients settled within ABUSE_WINDOW, as the brakes count them. */
  outcomes: OutcomeCounts;
}

/** Selects accounts; all if empty. */
export interface AccountFilter {
  /** Part of the name, without case, or the id. */
  search?: string;
  status?: AccountStatus;
  /** Accounts that match `search` for another reason. */
  ids?: readonly string[];
}

interface Row extends Omit<AccountOverview, 'status' | 'usage' | 'outcomes'> {
  used: number;
}
type ScannedRow = (Row | Record<keyof Row, null>) & { scanned: number; last_id: string | null };

/** The largest number of accounts that are examined for one page. */
const MAX_SCANNED = 20_000;

const PAGE = {
  name: 'account-directory-page',
  text: `
    WITH candidates AS MATERIALIZED (
      SELECT id, name, standing, sending_pause, plan, notify_addresses, created_at, pool_choice, penalty, abuse_limits
        FROM accounts
       WHERE $1::text IS NULL OR id < $1 ORDER BY id DESC LIMIT $2),
    ends AS (SELECT count(*)::int AS scanned, min(id) AS last_id FROM candidates),
    chosen AS (
      SELECT * FROM candidates
       WHERE ($3::text IS NULL OR id = $3 OR strpos(lower(name), lower($3)) > 0 OR id = ANY($4::text[]))
         AND ($5::text IS NULL OR $5 = CASE WHEN standing <> 'active' THEN standing
                                            WHEN sending_pause IS NULL THEN 'active' ELSE 'paused' END)
       ORDER BY id DESC LIMIT $6)
    SELECT ends.scanned, ends.last_id, c.id, c.name, c.standing, c.sending_pause AS "sendingPause", c.plan,
           c.notify_addresses AS "notifyAddresses", c.created_at AS "createdAt",
           c.pool_choice AS "poolChoice", c.penalty, c.abuse_limits AS "abuseLimits",
           coalesce((SELECT used FROM allowances
                      WHERE account_id = c.id AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date), 0)::float8 AS used
      FROM ends LEFT JOIN chosen c ON true ORDER BY c.id DESC`,
};

/** The accounts of the service, for the operator. */
@Injectable()
export class AccountDirectory {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /**
   * Accounts after the cursor, newest first. A page has a bounded cost: if a filter matches few of many accounts, it is short,
   * `has_more` is true, and its cursor leads on.
   */
  async page(
    { limit, after }: Omit<PageRequest, 'before'>,
    { search, status, ids = [] }: AccountFilter = {},
  ): Promise<Page<AccountOverview>> {
    const isFiltered = search !== undefined || status !== undefined;
    const { rows } = await this.database.query<ScannedRow>({
      ...PAGE,
      values: [after, isFiltered ? MAX_SCANNED : limit + 1, search, ids, status, limit + 1],
    });
    const [{ scanned, last_id }] = rows;
    const found = rows.filter((row): row is ScannedRow & Row => row.id !== null);
    const shown = found.slice(0, limit);
    const isCut = found.length > limit;
    const has_more = isCut || scanned === MAX_SCANNED;
    const next = isCut ? shown[shown.length - 1].id : last_id;
    return { object: 'list', has_more, data: await this.withOutcomes(shown), next_cursor: has_more ? next : null };
  }

  async find(id: string): Promise<AccountOverview | null> {
    // The account is the first one after the next higher id.
    const { rows } = await this.database.query<ScannedRow>({ ...PAGE, values: [`${id}0`, 1, id, [], null, 1] });
    const found = rows.filter((row): row is ScannedRow & Row => row.id === id);
    return (await this.withOutcomes(found))[0] ?? null;
  }

  /** The same as the responses of the API. */
  async list(page: PageRequest, filter: AccountFilter): Promise<Page<OperatorAccountView>> {
    const { data, ...rest } = await this.page(page, filter);
    return { ...rest, data: data.map(toOperatorAccountView) };
  }

  async view(id: string): Promise<OperatorAccountView | null> {
    const found = await this.find(id);
    return found && toOperatorAccountView(found);
  }

  private async withOutcomes(rows: readonly Row[]): Promise<AccountOverview[]> {
    const since = new Date(databaseClock.now() - this.config.settings.ABUSE_WINDOW);
    const totals = await totalsOf(
      this.database,
      rows.map(({ id }) => id),
      since,
    );
    return rows.map((row) => {
      const { recipients, hardBounces, complaints, blocks } =
        totals.find((one) => one.accountId === row.id) ?? NO_OUTCOMES;
      const { id, name, standing, sendingPause, plan, notifyAddresses, createdAt, used } = row;
      const { poolChoice, penalty, abuseLimits } = row;
      const limit = monthlyLimit(plan);
      return {
        ...{ id, name, standing, sendingPause, plan, notifyAddresses, createdAt, poolChoice, penalty, abuseLimits },
        status: statusOf({ standing, sending_pause: sendingPause }),
        usage: limit === null ? null : { used, limit },
        outcomes: { recipients, hardBounces, complaints, blocks },
      };
    });
  }
}

const toOperatorAccountView = (of: AccountOverview): OperatorAccountView => ({
  id: of.id,
  object: 'operator_account',
  name: of.name,
  status: of.status,
  standing: of.standing,
  plan: of.plan,
  usage: of.usage,
  pool: of.penalty === null ? 'default' : 'penalty',
  pool_choice: of.poolChoice,
  penalty: of.penalty,
  sending_pause: of.sendingPause,
  outcomes: {
    recipients: of.outcomes.recipients,
    hard_bounces: of.outcomes.hardBounces,
    complaints: of.outcomes.complaints,
    blocks: of.outcomes.blocks,
  },
  bounce_limit_percent: of.abuseLimits.bounce_percent ?? null,
  complaint_limit_percent: of.abuseLimits.complaint_percent ?? null,
  notify_addresses: of.notifyAddresses,
  created_at: of.createdAt.toISOString(),
});
