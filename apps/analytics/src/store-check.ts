import { Injectable } from '@nestjs/common';
import { EventLog, StatisticsRecord } from '#libs/bus';
import { Config, Log, Metrics, sleep } from '#libs/kernel';
import { StatsStore, type DayVerdict } from '#libs/stats';
import { Gauge } from 'prom-client';
import { AcceptedEvents } from './accepted-events.js';
import { StoreWriters } from './store-writers.js';

const ROUND_MS = 5_000;
const RECORD_MS = 60_000;
/** After the start: a batch that was interrupted has been repeated by then. */
const RECENT_MS = 60_000;
const DAY_MS = 86_400_000;
/** After the start of the process. */
const OTHERS_GONE_MS = 40_000;
/** Days that a log line and the metric name, the newest ones. */
const NAMED_DAYS = 31;

type Verdicts = ReadonlyMap<string, DayVerdict>;
type Parts = Parameters<StatsStore['damage']>[0];

/**
 * Notices rows that the statistics store has lost, at the start, daily and when a statement fails because of it, and has them
 * rebuilt. What could not be is recorded per day, for the log, the metrics and the doctor.
 */
@Injectable()
export class StoreCheck {
  /** All days have to be verified. */
  private isPending = true;
  private recordedAt = 0;
  private verifiedAt = Date.now();
  private incomplete: string[] = [];
  /** Days that may be newer than the record, whose tables are compared once. */
  private recent: { from: string; dueAt: number } | null = null;
  private stopping = new AbortController().signal;

  constructor(
    private readonly store: StatsStore,
    private readonly eventLog: EventLog,
    private readonly acceptedEvents: AcceptedEvents,
    private readonly record: StatisticsRecord,
    private readonly writers: StoreWriters,
    private readonly config: Config,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    const registers = [metrics.registry];
    const days = () => this.incomplete;
    new Gauge({
      name: 'postloft_stats_incomplete_days',
      help: 'Days of which statistics lack events that neither other tables nor the event log have.',
      registers,
      collect() {
        this.set(days().length);
      },
    });
    new Gauge({
      name: 'postloft_stats_incomplete_day',
      help: 'The newest of these days.',
      labelNames: ['day'],
      registers,
      collect() {
        this.reset();
        for (const day of days().slice(-NAMED_DAYS)) this.set({ day }, 1);
      },
    });
  }

  /** Before the first insert of this process. Does not throw: what fails is tried again by `run`. */
  async atStart(consumer: string, stopping: AbortSignal): Promise<void> {
    this.stopping = stopping;
    this.isPending = true;
    this.store.holdInserts(true);
    await this.attempt(async () => {
      await this.writers.register();
      const parts = (await this.record.parts()) as Parts;
      const damage = await this.store.damage(parts);
      if (damage.length > 0) this.log.warn('the statistics store may have lost rows', { damage });
      const newest = [...(await this.record.days()).keys()].sort().at(-1);
      this.recent = {
        from: dateOf(Math.min(Date.now(), Date.parse(newest ?? '9999')) - DAY_MS),
        dueAt: Date.now() + RECENT_MS,
      };
      const known = (await this.record.incompleteDays()).map(({ day }) => day);
      this.incomplete = known;
      if (parts === null || damage.length > 0) return this.verifyAll(consumer);
      if (known.length > 0) await this.verify(consumer, { from: known[0], to: known[known.length - 1] });
      this.isPending = false;
      this.store.holdInserts(false);
    });
  }

  /** Checks periodically until `stopping` aborts, and then records what the store has. */
  async run(consumer: string, stopping: AbortSignal): Promise<void> {
    this.stopping = stopping;
    while (!stopping.aborted) {
      await this.attempt(() => this.round(consumer));
      await sleep(ROUND_MS, stopping);
    }
    await this.attempt(() => this.recordContents());
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.stopping.aborted) return;
      this.log.warn('the statistics store cannot be verified', { reason: (error as Error).message.split('\n', 1)[0] });
    }
  }

  private async round(consumer: string): Promise<void> {
    const reason = this.store.damageReason;
    if (reason !== null) {
      this.isPending = true;
      this.store.holdInserts(true);
      this.log.warn('tables or files of the statistics store are missing or damaged; it is prepared again', { reason });
      await this.store.prepareAgain();
    }
    if (this.isPending || this.store.areInsertsHeld) return this.verifyAll(consumer);
    if (this.recent !== null && Date.now() >= this.recent.dueAt) {
      await this.verify(consumer, { from: this.recent.from });
      this.recent = null;
    }
    if (Date.now() >= this.verifiedAt + DAY_MS) {
      this.verifiedAt = Date.now();
      if ((await this.store.setAsideDamagedParts()).length > 0) this.isPending = true;
      else await this.verify(consumer, { from: dateOf(Date.now() - this.config.settings.RETENTION_EVENTS) });
    }
    if (Date.now() >= this.recordedAt + RECORD_MS) await this.recordContents();
  }

  /** If other programs write to the store, it is only reported that rows may be missing. */
  private async verifyAll(consumer: string): Promise<void> {
    this.isPending = true;
    if (!(await this.writers.isOnlyOne())) {
      // An earlier run of this program counts as another one for some seconds if it was killed.
      if (performance.now() > OTHERS_GONE_MS) this.store.holdInserts(false);
      return;
    }
    await this.verify(consumer);
    this.isPending = false;
    this.store.holdInserts(false);
    this.verifiedAt = Date.now();
    await this.recordContents();
  }

  private async verify(consumer: string, range?: { from: string; to?: string }): Promise<void> {
    if (!(await this.writers.isOnlyOne())) return;
    const usesKafka = this.config.settings.KAFKA_BROKERS !== undefined;
    const verdicts = await this.store.verify({
      log: this.acceptedEvents.of(consumer, this.stopping),
      confirmedUpTo: usesKafka ? null : await this.eventLog.handledPosition(consumer),
      recorded: await this.record.days(),
      range,
      onIncomplete: (days) => this.record.set(days),
    });
    await this.record.set(verdicts);
    this.incomplete = (await this.record.incompleteDays()).map(({ day }) => day);
    this.report(verdicts);
  }

  private report(verdicts: Verdicts): void {
    for (const source of ['tables', 'log'] as const) {
      const repaired = [...verdicts].filter(([, of]) => of.lacking.length === 0 && of.repairedFrom.includes(source));
      if (repaired.length > 0)
        this.log.warn('statistics had lost rows, which were rebuilt', { from: source, ...summaryOf(repaired) });
    }
    const lacking = [...verdicts].filter(([, of]) => of.lacking.length > 0);
    if (lacking.length > 0)
      this.log.warn(
        'statistics of some days are incomplete, and the event log no longer has these days',
        summaryOf(lacking),
      );
  }

  /** Not while rows may be missing: what the store had must be known until it has been verified. */
  private async recordContents(): Promise<void> {
    if (this.isPending || this.store.areInsertsHeld || this.store.damageReason !== null) return;
    const { parts, days } = await this.store.contents(dateOf(Date.now() - DAY_MS));
    await this.record.raise(days);
    await this.record.writeParts(parts);
    this.recordedAt = Date.now();
  }
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function summaryOf(days: readonly (readonly [string, DayVerdict])[]): object {
  const names = days.map(([day]) => day).sort();
  const tables = new Set(days.flatMap(([, { lacked }]) => lacked.map(({ table }) => table)));
  return { days: names.slice(-NAMED_DAYS), count: names.length, tables: [...tables].sort() };
}
