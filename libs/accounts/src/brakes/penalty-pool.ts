import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { AccountPenalty } from '../account.resource.js';
import { Config, LocalNotifications, Log, Shutdown } from '#libs/kernel';
import { Database } from '#libs/persistence';
import type { AccountControls } from './account-controls.js';
import { exceededLimit, isServed, isToBlame, nextPenalty, today, type ExceededLimit } from './penalty-rules.js';
import { endPenalty, penalise } from './pool-change.js';
import { totalsOfOthers, type OutcomeTotals } from './sending-outcomes.js';

const REFRESH_MS = 1_000;

/**
 * The accounts whose mail leaves from the penalty pool: those that exceed a limit of PENALTY_*, until they have sent within
 * all limits for some days, and those that the operator moved. See docs/decisions/049-penalty-pool.md.
 */
@Injectable()
export class PenaltyPool implements OnApplicationBootstrap {
  readonly isOn: boolean;
  private current: ReadonlySet<string> = new Set();
  private running: Promise<void> | undefined;
  private failing = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly notifications: LocalNotifications,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    const { PENALTY_POOL, DELIVERY_MODE } = config.settings;
    this.isOn = PENALTY_POOL !== undefined && DELIVERY_MODE !== 'capture';
    shutdown.on('work', 'penalty pool', async () => {
      clearInterval(this.timer);
      await this.running;
    });
  }

  /** Before the first message is delivered. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.isOn) return;
    await this.refresh();
    this.timer = setInterval(() => void this.refresh(), REFRESH_MS);
    this.timer.unref();
  }

  get accounts(): ReadonlySet<string> {
    return this.current;
  }

  /** Moves the account, or counts its clean days, after some of its deliveries have ended. */
  async judge(totals: OutcomeTotals, { poolChoice, penalty }: AccountControls, since: Date): Promise<void> {
    if (!this.isOn || poolChoice !== 'auto') return;
    const limit = exceededLimit(totals, this.config.settings);
    if (penalty !== null) await this.recordDay(totals.accountId, penalty, limit !== null);
    else if (limit !== null) await this.penalise(totals, limit, since);
  }

  private async penalise(totals: OutcomeTotals, limit: ExceededLimit, since: Date): Promise<void> {
    const { accountId } = totals;
    if (limit.reason === 'blocks' && !isToBlame(totals, await totalsOfOthers(this.database, totals, since))) return;
    const change = await this.database.transaction((tx) => penalise(tx, totals, limit));
    if (change === null) return;
    this.log.warn('an account was moved to the penalty pool', { account: accountId, ...change });
    this.notifications.notify('outbox');
    await this.refresh();
  }

  /** At most twice a day and account. */
  private async recordDay(accountId: string, penalty: AccountPenalty, isExceeded: boolean): Promise<void> {
    const next = nextPenalty(penalty, isExceeded, today());
    if (next === null) return;
    await this.database.query(
      `UPDATE accounts SET penalty = $2 WHERE id = $1 AND penalty = $3 AND pool_choice = 'auto'`,
      [accountId, JSON.stringify(next), JSON.stringify(penalty)],
    );
  }

  /** Reads the accounts, and moves those back that have sent within all limits for long enough. */
  refresh(): Promise<void> {
    this.running ??= this.read().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async read(): Promise<void> {
    try {
      const { PENALTY_CLEAN_DAYS } = this.config.settings;
      const { rows } = await this.database.query<{ id: string; served: AccountPenalty | null }>({
        name: 'penalty-pool-accounts',
        text: `SELECT id, CASE WHEN pool_choice = 'auto' AND jsonb_array_length(penalty -> 'clean_days') >= $1 THEN penalty END AS served
                 FROM accounts WHERE penalty IS NOT NULL`,
        values: [PENALTY_CLEAN_DAYS],
      });
      const penalised = new Set(rows.map(({ id }) => id));
      for (const { id, served } of rows)
        if (served !== null && isServed(served, PENALTY_CLEAN_DAYS, today())) {
          await this.release(id);
          penalised.delete(id);
        }
      this.current = penalised;
      this.failing = false;
    } catch (error) {
      if (!this.failing)
        this.log.warn('the accounts in the penalty pool cannot be read', { reason: (error as Error).message });
      this.failing = true;
    }
  }

  private async release(accountId: string): Promise<void> {
    const change = await this.database.transaction((tx) => endPenalty(tx, accountId));
    if (change === null) return;
    this.log.info('an account was moved back from the penalty pool', { account: accountId, ...change });
    this.notifications.notify('outbox');
  }
}
