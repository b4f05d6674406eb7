import { Injectable } from '@nestjs/common';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Refusal,
  seesDomain,
  STATS_COUNTERS,
  type AddressErasure,
  type DomainStats,
  type StatsCounter,
  type Visibility,
} from '#libs/contracts';
import type { LoggedEvent } from '#libs/contracts';
import { Config, Log, Semaphore } from '#libs/kernel';
import { engineState, openServer, statsServerState, type EngineState, type StatsConnection } from './connection.js';
import { openEmbedded, type EmbeddedConnection } from './embedded-connection.js';
import { Engine, isTooCostly } from './engine.js';
import { eraseRecipient } from './erase-recipient.js';
import { EventIntake, type StatsBatch } from './intake/event-intake.js';
import { detachDamagedParts } from './integrity/check-parts.js';
import { readParts, tablesWithout, type Parts } from './integrity/parts.js';
import { recordableTotals, type DayTotals } from './integrity/day-totals.js';
import { recoverFrom, type Recovered } from './integrity/recover.js';
import { verifyDays, type DayVerdict, type Verification } from './integrity/verify-days.js';
import { rebuild, type ReadableLog, type Rebuilt } from './intake/rebuild.js';
import type { AccountsQuery, Metric, MetricsQuery, MetricsResult, MetricValues } from './metrics-query.js';
import { hasOther, lacksLatencies, toMetricsResult, valuesByAccount, type EngineRow } from './metrics-result.js';
import { accountsStatement, MAX_ROWS, metricsStatement, rowLimit } from './metrics-sql.js';
import { minuteCountersStatement, toMinuteCount, type MinuteRow } from './queries/minute-counters.js';
import type { MinuteCounters, MinuteCountersQuery } from './queries/minute-counters.js';
import { readBytes, readServiceActivity, type ServiceActivity } from './queries/service-activity.js';
import { planMetrics, segmentsOfTotals, tooCostly, tooManyRows, type PlannedQuery } from './queries/plan.js';
import type { Kept } from './queries/segments.js';
import { lacksTagKeys } from './queries/tag-keys.js';
import { prepareSchema } from './schema.js';
import { LEVELS, type TableOptions } from './schema/tables.js';

interface OpenStore extends StatsConnection {
  identity: string;
  /** What the store lacked when it was opened, as far as the engine and its files show it. */
  damage: string[];
}

/** Statistics in ClickHouse: on a server if `CLICKHOUSE_URL` is set, otherwise in this process. */
@Injectable()
export class StatsStore {
  private opening: Promise<OpenStore> | undefined;
  private opened: OpenStore | undefined;
  private closed = false;
  private isHeld = false;
  private readonly engine: Engine;
  private readonly intake: EventIntake;
  /** Both change rows in several steps. */
  private readonly maintenance = new Semaphore(1);

  constructor(
    private readonly config: Config,
    private readonly log: Log,
  ) {
    const { CLICKHOUSE_URL, SERVICE_DOMAIN } = config.settings;
    const isServer = CLICKHOUSE_URL !== undefined;
    this.engine = new Engine(() => this.open(), isServer ? 'server' : 'embedded');
    this.intake = new EventIntake(this.engine, { isShared: isServer, serviceDomain: SERVICE_DOMAIN });
  }

  /**
   * Opens the store and upgrades its tables, once. After a failure the next call tries again.
   * @throws the error of the engine
   */
  async ready(): Promise<void> {
    await this.open();
  }

  /** Whether the engine answers, for the operator. */
  async state(): Promise<EngineState & { engine: 'server' | 'embedded' }> {
    const { CLICKHOUSE_URL } = this.config.settings;
    const engine = CLICKHOUSE_URL === undefined ? 'embedded' : 'server';
    if (CLICKHOUSE_URL !== undefined) return { engine, ...(await statsServerState(CLICKHOUSE_URL)) };
    return { engine, ...(await engineState(() => this.ready().then(() => null))) };
  }

  /**
   * Identifies the data: a new store has a new identity. A consumer whose name contains the identity therefore starts again
   * at the beginning of the log if the store is new. Available after `ready`.
   */
  get identity(): string {
    if (!this.opened) throw new Error('the statistics store is not open yet');
    return this.opened.identity;
  }

  /**
   * Adds a batch, at most once per token, and each event at most once in whatever batch.
   * @throws if it is not certain that the batch is stored; repeat it with the same token and the same events
   */
  async insert(batch: StatsBatch): Promise<void> {
    await this.open();
    this.requireVerified();
    await this.intake.insert(batch);
  }

  /**
   * Refuses inserts while positions may be missing, by which an event is known to be stored: it would be counted again. The
   * callers repeat them.
   */
  holdInserts(areHeld: boolean): void {
    this.isHeld = areHeld;
  }

  get areInsertsHeld(): boolean {
    return this.isHeld;
  }

  private requireVerified(): void {
    if (this.isHeld) throw new Error('the statistics store is being verified');
  }

  /** Adds those events that the store lacks. `attempt` counts earlier attempts that did not add everything. */
  async fill(events: readonly LoggedEvent[], attempt: number): Promise<void> {
    this.requireVerified();
    await this.intake.fill(events, attempt);
  }

  /**
   * Replaces the rows of the store by those of the event log. No other program may write to the store meanwhile.
   * @throws the error of the engine; run it again then
   */
  rebuild(log: ReadableLog, onProgress: (position: number, head: number) => void): Promise<Rebuilt> {
    return rebuild({ engine: this.engine, intake: this.intake, options: tableOptions(this.config) }, log, onProgress);
  }

  /** The position in the event log up to which every event that belongs in the store is known to be stored. */
  completeUpTo(): Promise<number> {
    return this.intake.completeUpTo();
  }

  async setCompleteUpTo(position: number): Promise<void> {
    this.requireVerified();
    await this.intake.setCompleteUpTo(position);
  }

  /** Puts the keyed hash of an erasure in place of its address. Returns the number of rows. */
  async eraseRecipient(erasure: AddressErasure): Promise<number> {
    return this.maintenance.run(async () => {
      const { client } = await this.open();
      return eraseRecipient(client, erasure);
    });
  }

  /**
   * Why rows may be missing: damage that was found when the store was opened, or by a statement since, and tables that lack
   * parts which the store had. Empty if nothing shows it.
   */
  async damage(had: Parts | null): Promise<string[]> {
    const { damage } = await this.open();
    const reason = this.engine.damageReason;
    const without = had === null ? [] : tablesWithout(had, await readParts(this.engine), tableOptions(this.config));
    return [...damage, ...(reason === null ? [] : [reason]), ...without.map((table) => `${table} lacks parts`)];
  }

  /** An error of a statement that shows that tables or files are missing or damaged; null if there was none. */
  get damageReason(): string | null {
    return this.engine.damageReason;
  }

  /** Opens the store again, which creates missing tables and sets damaged files aside. Rows must be verified afterwards. */
  async prepareAgain(): Promise<void> {
    await this.intake.alone(async () => {
      await this.engine.exclusively(async () => {
        const store = await this.opening?.catch(() => undefined);
        this.opening = undefined;
        await store?.close();
      });
      await this.open();
      this.intake.forget();
      this.engine.forgetDamage();
    });
  }

  /**
   * Reads all parts of all tables and sets those aside whose checksums do not match, from when on inserts are held. Returns
   * their names.
   */
  async setAsideDamagedParts(): Promise<string[]> {
    const detached = await detachDamagedParts(this.engine, { onDamage: () => this.holdInserts(true) });
    if (detached.length > 0) await this.prepareAgain();
    return detached;
  }

  /** Compares the tables day by day and repairs them, see `verifyDays`. */
  async verify(verification: Verification): Promise<Map<string, DayVerdict>> {
    await this.open();
    const options = tableOptions(this.config);
    const parts = { engine: this.engine, intake: this.intake, options };
    const verdicts = await this.maintenance.run(() => verifyDays(parts, verification));
    if (verification.range === undefined && this.opened !== undefined) this.opened.damage = [];
    return verdicts;
  }

  /** The folders with files that were set aside from this store, the oldest first. */
  async setAsideFolders(): Promise<string[]> {
    const names = await readdir(this.config.dataDir);
    return names
      .filter((name) => name.startsWith('chdb.broken-'))
      .sort()
      .map((name) => join(this.config.dataDir, name));
  }

  /** Adds what a folder with files of a store has and this store lacks, see `recoverFrom`. For the embedded engine. */
  recoverFrom(folder: string, recorded: ReadonlyMap<string, DayTotals>): Promise<Recovered> {
    return this.maintenance.run(() => this.intake.alone(() => recoverFrom(this.engine, folder, recorded)));
  }

  /** The parts of all tables, and the totals of the days since `from` (`YYYY-MM-DD`), to be recorded. */
  async contents(from: string): Promise<{ parts: Parts; days: Map<string, DayTotals> }> {
    return { parts: await readParts(this.engine), days: await recordableTotals(this.engine, from) };
  }

  /** Every event of the log up to this position that belongs in the store is stored. */
  storedUpTo(): Promise<number> {
    return this.intake.storedUpTo();
  }

  /** Those of some positions whose events are stored. */
  storedAmong(positions: readonly number[]): Promise<Set<number>> {
    return this.intake.storedAmong(positions);
  }

  /** The number of stored events with a position above `after`, up to `upTo`. */
  countStored(range: { after: number; upTo: number }): Promise<number> {
    return this.intake.countStored(range);
  }

  /**
   * The counts of an account or domain per minute as of a position in the event log, to which a reader adds the events
   * after it. Test mail is not counted, and the domains of keys are not considered.
   * @throws Refusal `service_unavailable` while the engine does not respond
   */
  minuteCounters(of: MinuteCountersQuery): Promise<MinuteCounters> {
    return this.orUnavailable(async () => {
      // The position first: rows up to it are complete, and rows above it are left out.
      const position = await this.intake.storedUpTo();
      const rows = await this.engine.select<MinuteRow>(minuteCountersStatement(of, position));
      return { position, minutes: rows.map(toMinuteCount) };
    });
  }

  /**
   * Activity of all accounts since `from`, for the operator: recipients accepted and delivered per minute, and percentiles
   * of the time to delivery in milliseconds.
   * @throws Refusal `service_unavailable` while the engine does not respond
   */
  serviceActivity(from: Date): Promise<ServiceActivity> {
    return this.orUnavailable(() => readServiceActivity(this.engine, from));
  }

  /** Bytes of all tables on the disk of the engine. @throws the error of the engine */
  bytes(): Promise<number> {
    return readBytes(this.engine);
  }

  /**
   * The counts of a domain in [from, to), exact to the millisecond while single events are kept; zeros for a domain that
   * the key does not see, and for a test key.
   * @throws Refusal `service_unavailable` while the engine does not respond
   */
  async domainStats(visibility: Visibility, domainId: string, range: { from: Date; to: Date }): Promise<DomainStats> {
    const isVisible = visibility.mode === 'live' && seesDomain(visibility, domainId);
    const zeros = Object.fromEntries(STATS_COUNTERS.map((name) => [name, 0])) as Record<StatsCounter, number>;
    if (!isVisible || range.from >= range.to) return { domainId, ...range, ...zeros };
    const { totals, from, to } = await this.metrics({
      visibility,
      ...range,
      timezone: 'UTC',
      granularity: 'day',
      metrics: STATS_COUNTERS.map(metricOf),
      dimensions: [],
      groupBy: [],
      percentiles: [],
      domainIds: [domainId],
      emailIds: null,
    });
    const counts = STATS_COUNTERS.map((name) => [name, totals[metricOf(name)] ?? 0] as const);
    return { domainId, from, to, ...(Object.fromEntries(counts) as Record<StatsCounter, number>) };
  }

  /**
   * Counts, rates and percentiles of what a key sees. Rows are ordered by their dimensions.
   * @throws Refusal `invalid_parameter` for a result of more than 5,000 rows and for a range whose rows have expired,
   * `service_unavailable` while the engine does not respond
   */
  async metrics(asked: MetricsQuery): Promise<MetricsResult> {
    const planned = planMetrics(asked, this.kept());
    const { query, plan } = planned;
    if (query.visibility.mode === 'test') return { ...toMetricsResult(query, plan, []), truncated: false };
    return this.orUnavailable(() => this.read(planned));
  }

  /**
   * The same figures of several accounts in [from, to), for the operator. An account without events is absent.
   * @throws Refusal `service_unavailable` while the engine does not respond
   */
  async metricsByAccount(asked: AccountsQuery): Promise<Map<string, MetricValues>> {
    const statement = accountsStatement(asked, segmentsOfTotals(asked, this.kept()));
    return this.orUnavailable(async () =>
      valuesByAccount(asked.metrics, await this.engine.select<EngineRow>(statement)),
    );
  }

  /** Waits for running queries. Later calls fail. */
  async close(): Promise<void> {
    this.closed = true;
    this.intake.close();
    const store = await this.opening?.catch(() => undefined);
    await store?.close();
  }

  private async read({ query, plan, fromEvents }: PlannedQuery): Promise<MetricsResult> {
    const rows = await this.engine.select<EngineRow>(metricsStatement(query, plan));
    const isGrouped = plan.nullIsWhole;
    const truncated = isGrouped && (hasOther(query, rows) || (await lacksTagKeys(this.engine, query)));
    const isIncomplete = truncated || (isGrouped && lacksLatencies(query, rows));
    if (isIncomplete && fromEvents !== null) return this.read({ query, plan: fromEvents, fromEvents: null });
    if (rows.length >= rowLimit(plan)) throw tooManyRows();
    const result = toMetricsResult(query, plan, rows);
    if (result.rows !== null && result.rows.length > MAX_ROWS) throw tooManyRows();
    return { ...result, truncated };
  }

  private kept(): Kept {
    const { rawDays, minuteDays } = tableOptions(this.config);
    const now = Date.now();
    return { events: now - rawDays * LEVELS.day, minute: now - minuteDays * LEVELS.day };
  }

  private open(): Promise<OpenStore> {
    if (this.closed) return Promise.reject(new Error('the statistics store is closed'));
    this.opening ??= this.openOnce().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async openOnce(): Promise<OpenStore> {
    const { CLICKHOUSE_URL } = this.config.settings;
    const embedded = CLICKHOUSE_URL ? null : await this.openInProcess();
    const connection = embedded ?? (await openServer(CLICKHOUSE_URL as string));
    try {
      const { identity, missing } = await prepareSchema(
        connection.client,
        tableOptions(this.config),
        embedded?.tableIds,
      );
      if (missing.length > 0) this.log.error('tables of the statistics store were missing', undefined, { missing });
      const aside = embedded?.setAside?.names ?? [];
      const damage = [...missing.map((name) => `${name} was missing`), ...aside.map((name) => `${name} was set aside`)];
      this.opened = { ...connection, identity, damage };
      this.log.info('statistics store is open', { engine: CLICKHOUSE_URL ? 'server' : 'embedded', identity });
      return this.opened;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private async openInProcess(): Promise<EmbeddedConnection> {
    await mkdir(this.config.dataDir, { recursive: true });
    return openEmbedded(join(this.config.dataDir, 'chdb'), this.log);
  }

  private async orUnavailable<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (isTooCostly(error)) throw tooCostly();
      this.log.warn('statistics cannot be read', { reason: (error as Error).message.split('\n', 1)[0] });
      throw new Refusal('service_unavailable', [], 'Statistics cannot be read right now. Try again.');
    }
  }
}

/** The metric with the value of a counter. */
const metricOf = (counter: StatsCounter): Metric => (counter === 'deferred' ? 'delivery_delayed' : counter);

const tableOptions = ({ settings }: Config): TableOptions => ({
  cluster: settings.CLICKHOUSE_CLUSTER,
  rawDays: settings.STATS_RAW_DAYS,
  minuteDays: settings.STATS_MINUTE_DAYS,
});
