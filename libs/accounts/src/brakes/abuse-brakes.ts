import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { SendingPause } from '#libs/contracts';
import { Config, databaseClock, LocalNotifications, Log, Metrics, Shutdown } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { Counter } from 'prom-client';
import { controlsOf, withOwnLimits, type AccountControls } from './account-controls.js';
import { PenaltyPool } from './penalty-pool.js';
import {
  addOutcomes,
  NO_OUTCOMES,
  pruneOutcomes,
  totalsOf,
  type OutcomeCounts,
  type OutcomeTotals,
} from './sending-outcomes.js';
import { pauseSending } from './sending-pause.js';

/** How the delivery to one recipient ended. */
export type CountedOutcome = 'hard_bounce' | 'other';

const FLUSH_MS = 1_000;
const PRUNE_MS = 10 * 60_000;
/** Parts of the window, each with one row per account. */
const SLOTS = 24;

/**
 * Pauses accounts of which too many recipients bounce or complain, and lets the penalty pool judge them. Ends of deliveries are counted in memory and added to one
 * row per account once a second, so that a message costs no statement; the rates of the accounts in a flush are the sums
 * of at most `SLOTS` rows each. See docs/decisions/042-abuse-brakes-and-notices.md.
 */
@Injectable()
export class AbuseBrakes implements OnApplicationBootstrap {
  private counts = new Map<string, OutcomeCounts>();
  private flushing: Promise<void> = Promise.resolve();
  private timers: NodeJS.Timeout[] = [];
  private readonly pauseCount: Counter<'reason'>;
  /** Whether accounts are paused. */
  private readonly pauses: boolean;
  /** Whether outcomes are counted. */
  private readonly isOn: boolean;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly notifications: LocalNotifications,
    private readonly log: Log,
    private readonly penaltyPool: PenaltyPool,
    shutdown: Shutdown,
    metrics: Metrics,
  ) {
    const { ABUSE_BRAKES, DELIVERY_MODE } = config.settings;
    // Captured mail reaches nobody.
    this.pauses = ABUSE_BRAKES && DELIVERY_MODE !== 'capture';
    this.isOn = this.pauses || penaltyPool.isOn;
    this.pauseCount = new Counter({
      name: 'postloft_sending_pauses_total',
      help: 'Accounts that were paused because of bounces or complaints, by reason',
      labelNames: ['reason'],
      registers: [metrics.registry],
    });
    shutdown.on('work', 'abuse brakes', () => {
      for (const timer of this.timers) clearInterval(timer);
    });
    // After the last delivery has been counted.
    shutdown.on('flush', 'abuse brakes', () => this.flushOrLog());
  }

  onApplicationBootstrap(): void {
    if (!this.isOn) return;
    this.timers = [
      setInterval(() => void this.flushOrLog(), FLUSH_MS),
      setInterval(() => void this.pruneOrLog(), PRUNE_MS),
    ];
  }

  /** Counts the end of one delivery. Not for simulated, test and service mail. */
  count(accountId: string, outcome: CountedOutcome): void {
    if (!this.isOn) return;
    const counts = this.countsOf(accountId);
    counts.recipients += 1;
    if (outcome === 'hard_bounce') counts.hardBounces += 1;
  }

  /** Counts a reply that refused or deferred a message as unwanted, whether or not its delivery has ended. */
  countBlock(accountId: string): void {
    if (this.isOn) this.countsOf(accountId).blocks += 1;
  }

  /** Accounts whose mail leaves from the penalty pool; up to date within a second. */
  get penalised(): ReadonlySet<string> {
    return this.penaltyPool.accounts;
  }

  /** Counts a report about a delivery that was counted before, in the transaction that records it. */
  async countReport(tx: Queryable, accountId: string, report: 'hard_bounce' | 'complaint'): Promise<void> {
    if (!this.isOn) return;
    const counts = {
      ...NO_OUTCOMES,
      hardBounces: report === 'hard_bounce' ? 1 : 0,
      complaints: report === 'complaint' ? 1 : 0,
    };
    await addOutcomes(tx, this.slot(), new Map([[accountId, counts]]));
    // The next flush evaluates the account.
    this.countsOf(accountId);
  }

  /** Adds the counts to the database and pauses the accounts that exceed a limit. */
  flush(): Promise<void> {
    const next = this.flushing.catch(() => undefined).then(() => this.flushNow());
    this.flushing = next;
    return next;
  }

  private async flushNow(): Promise<void> {
    if (this.counts.size === 0) return;
    const counted = this.counts;
    this.counts = new Map();
    try {
      await addOutcomes(this.database, this.slot(), counted);
    } catch (error) {
      for (const [accountId, counts] of counted) this.add(accountId, counts);
      throw error;
    }
    const since = new Date(databaseClock.now() - this.config.settings.ABUSE_WINDOW);
    const totals = await totalsOf(this.database, [...counted.keys()], since);
    const controls = await controlsOf(this.database, [...counted.keys()]);
    for (const one of totals) {
      const of = controls.get(one.accountId);
      if (of === undefined) continue;
      await this.pauseIfExceeded(one, of);
      await this.penaltyPool.judge(one, of, since);
    }
  }

  private async pauseIfExceeded(totals: OutcomeTotals, { abuseLimits }: AccountControls): Promise<void> {
    const pause = this.pauses ? exceeded(totals, withOwnLimits(this.config.settings, abuseLimits)) : null;
    if (pause === null) return;
    const { accountId } = totals;
    if (!(await this.database.transaction((tx) => pauseSending(tx, accountId, pause)))) return;
    this.pauseCount.inc({ reason: pause.reason });
    this.log.warn('sending of an account was paused', { account: accountId, ...pause });
    this.notifications.notify('outbox');
  }

  private async flushOrLog(): Promise<void> {
    await this.flush().catch((error: Error) =>
      this.log.warn('bounce and complaint rates cannot be stored', { reason: error.message }),
    );
  }

  private async pruneOrLog(): Promise<void> {
    const before = new Date(databaseClock.now() - this.config.settings.ABUSE_WINDOW);
    await pruneOutcomes(this.database, before).catch((error: Error) =>
      this.log.warn('old bounce and complaint rates cannot be deleted', { reason: error.message }),
    );
  }

  private slot(): Date {
    const slotMs = Math.ceil(this.config.settings.ABUSE_WINDOW / SLOTS);
    return new Date(Math.floor(databaseClock.now() / slotMs) * slotMs);
  }

  private countsOf(accountId: string): OutcomeCounts {
    const known = this.counts.get(accountId);
    if (known) return known;
    const counts = { ...NO_OUTCOMES };
    this.counts.set(accountId, counts);
    return counts;
  }

  private add(accountId: string, { recipients, hardBounces, complaints, blocks }: OutcomeCounts): void {
    const counts = this.countsOf(accountId);
    counts.recipients += recipients;
    counts.hardBounces += hardBounces;
    counts.complaints += complaints;
    counts.blocks += blocks;
  }
}

type Limits = Pick<Config['settings'], 'ABUSE_MINIMUM_RECIPIENTS' | 'ABUSE_BOUNCE_PERCENT' | 'ABUSE_COMPLAINT_PERCENT'>;

/** Null while both rates are within their limits, or too few recipients were counted. */
export function exceeded(totals: OutcomeTotals, limits: Limits): SendingPause | null {
  const { recipients, hardBounces, complaints } = totals;
  if (recipients < limits.ABUSE_MINIMUM_RECIPIENTS) return null;
  const exceeds = (count: number, percent: number) => count * 100 > percent * recipients;
  const [reason, percent] = exceeds(hardBounces, limits.ABUSE_BOUNCE_PERCENT)
    ? (['bounces', limits.ABUSE_BOUNCE_PERCENT] as const)
    : (['complaints', limits.ABUSE_COMPLAINT_PERCENT] as const);
  if (reason === 'complaints' && !exceeds(complaints, percent)) return null;
  return {
    reason,
    paused_at: databaseClock.date().toISOString(),
    recipients,
    hard_bounces: hardBounces,
    complaints,
    limit_percent: percent,
  };
}
