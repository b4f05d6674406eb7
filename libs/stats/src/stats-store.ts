import type { ClickHouseSettings } from '@clickhouse/client';
import { Injectable } from '@nestjs/common';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Refusal,
  seesDomain,
  STATS_COUNTERS,
  type AddressErasure,
  type DomainStats,
  type LoggedEvent,
  type StatsCounter,
  type Visibility,
} from '#libs/contracts';
import { Config, Log, mapYielding, Semaphore } from '#libs/kernel';
import { openEmbedded } from './embedded-connection.js';
import { toMetricsResult, type EngineRow } from './metrics-result.js';
import type { MetricsResult, MetricsQuery } from './metrics-query.js';
import { MAX_ROWS, metricsStatement, type MetricsStatement } from './metrics-sql.js';
import { MEMORY_LIMIT_BYTES, openServer, type StatsConnection } from './connection.js';
import { eraseRecipient } from './erase-recipient.js';
import { prepareSchema } from './schema.js';
import { periodStarts } from './periods.js';
import { STATS_COLUMNS, toStatsRow, columnValues, type StatsRow } from './event-row.js';
import { splitWindow, type SplitWindow } from './time-window.js';

export interface StatsBatch {
  /** Identifies exactly these events in this order; the same token with the same events counts once. */
  token: string;
  events: readonly LoggedEvent[];
}

interface OpenStore extends StatsConnection {
  identity: string;
}

const CONCURRENT_QUERIES = 2;
/** Larger inserts are not faster; they only take more memory. */
const ROWS_PER_INSERT = 5_000;

const SETTINGS: ClickHouseSettings = {
  max_memory_usage: String(MEMORY_LIMIT_BYTES),
  async_insert: 0,
  // After a crash between the events and the roll-up, the repeated insert completes the roll-up.
  deduplicate_blocks_in_dependent_materialized_views: 1,
};

/** Statistics in ClickHouse: on a server if `CLICKHOUSE_URL` is set, otherwise in this process. */
@Injectable()
export class StatsStore {
  private opening: Promise<OpenStore> | undefined;
  private opened: OpenStore | undefined;
  private closed = false;
  /** The largest position that was inserted, as far as known. */
  private newest: number | undefined;
  private readonly queries = new Semaphore(CONCURRENT_QUERIES);
  /** The lookup and the insert of a batch must not interleave with another; the embedded engine has one token at a time. */
  private readonly inserts = new Semaphore(1);

  constructor(
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Opens the store and upgrades its tables, once. After a failure the next call tries again.
   * @throws the error of the engine
   */
  async ready(): Promise<void> {
    await this.open();
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
    const store = await this.open();
    for (let from = 0; from < batch.events.length || from === 0; from += ROWS_PER_INSERT) {
      const token = from === 0 ? batch.token : `${batch.token}+${from}`;
      await this.inserts.run(() =>
        this.insertSlice(store, { token, events: batch.events.slice(from, from + ROWS_PER_INSERT) }),
      );
    }
  }

  /** The position in the event log up to which every event that belongs in the store is known to be stored. */
  async completeUpTo(): Promise<number> {
    const query = 'SELECT max(complete_up_to) AS position FROM stats_progress';
    const [row] = await this.select<{ position: number }>(await this.open(), { query, params: {} });
    return Number(row.position);
  }

  async setCompleteUpTo(position: number): Promise<void> {
    const store = await this.open();
    await this.queries.run(() =>
      store.insert({ table: 'stats_progress', columns: ['complete_up_to'], rows: [[position]], settings: SETTINGS }),
    );
  }

  /** Puts the keyed hash of an erasure in place of its address. Returns the number of rows. */
  async eraseRecipient(erasure: AddressErasure): Promise<number> {
    const { client } = await this.open();
    return this.inserts.run(() => eraseRecipient(client, erasure));
  }

  /** The number of stored events with a position above `after`, up to `upTo`. */
  async countStored({ after, upTo }: { after: number; upTo: number }): Promise<number> {
    const [row] = await this.select<{ events: number }>(await this.open(), {
      query: `SELECT uniqExact(position) AS events FROM message_events
               WHERE position > {after:UInt64} AND position <= {up_to:UInt64}`,
      params: { after, up_to: upTo },
    });
    return Number(row.events);
  }

  /**
   * The counts of a domain in [from, to), exact to the millisecond; zeros for a domain that the key does not see, and for
   * a test key.
   * @throws Refusal `service_unavailable` while the engine does not respond
   */
  async domainStats(
    visibility: Visibility,
    domainId: string,
    { from, to }: { from: Date; to: Date },
  ): Promise<DomainStats> {
    const isVisible = visibility.mode === 'live' && seesDomain(visibility, domainId);
    const counts = isVisible
      ? await this.orUnavailable(this.counts(visibility.accountId, domainId, splitWindow(from, to)))
      : {};
    const shown = STATS_COUNTERS.map((counter) => [counter, counts[counter] ?? 0] as const);
    return { domainId, from, to, ...(Object.fromEntries(shown) as Record<StatsCounter, number>) };
  }

  /**
   * Counts, rates and percentiles of what a key sees. Rows are ordered by their dimensions.
   * @throws Refusal `invalid_parameter` for a result of more than 5,000 rows, `service_unavailable` while the engine does
   * not respond
   */
  async metrics(query: MetricsQuery): Promise<MetricsResult> {
    const starts = query.dimensions.includes('period') ? periodStarts(query, MAX_ROWS + 1) : [];
    if (starts.length > MAX_ROWS) throw tooManyRows();
    if (query.visibility.mode === 'test') return toMetricsResult(query, starts, []);
    const rows = await this.orUnavailable(
      this.open().then((store) => this.select<EngineRow>(store, metricsStatement(query, starts))),
    );
    if (rows.length > MAX_ROWS + 1) throw tooManyRows();
    return toMetricsResult(query, starts, rows);
  }

  /** Waits for running queries. Later calls fail. */
  async close(): Promise<void> {
    this.closed = true;
    const store = await this.opening?.catch(() => undefined);
    await store?.close();
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
    const connection = CLICKHOUSE_URL ? await openServer(CLICKHOUSE_URL) : await this.openInProcess();
    try {
      const identity = await prepareSchema(connection.client);
      this.opened = { ...connection, identity };
      this.log.info('statistics store is open', { engine: CLICKHOUSE_URL ? 'server' : 'embedded', identity });
      return this.opened;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private async openInProcess(): Promise<StatsConnection> {
    await mkdir(this.config.dataDir, { recursive: true });
    return openEmbedded(join(this.config.dataDir, 'chdb'), this.log);
  }

  private async insertSlice(store: OpenStore, { token, events }: StatsBatch): Promise<void> {
    const rows = (await mapYielding(events, (event) => toStatsRow(event, token))).filter((row) => row !== null);
    const fresh = rows.length === 0 ? [] : await this.withoutStored(store, rows);
    if (fresh.length === 0) return;
    await this.queries.run(() =>
      store.insert({
        table: 'message_events',
        columns: STATS_COLUMNS,
        rows: fresh.map(columnValues),
        settings: { ...SETTINGS, insert_deduplication_token: token },
      }),
    );
  }

  /**
   * Removes rows whose events are already stored by another batch. Tokens only detect the same batch: after the position
   * of a consumer was set back, the same events come in different batches. Rows of the same token remain, because a
   * repeated insert must be equal to the first one.
   */
  private async withoutStored(store: OpenStore, rows: StatsRow[]): Promise<StatsRow[]> {
    const positions = rows.map((row) => row.position);
    const first = positions.reduce((a, b) => Math.min(a, b));
    const last = positions.reduce((a, b) => Math.max(a, b));
    const known =
      first > (await this.newestStored(store)) ? [] : await this.storedBetween(store, { first, last }, rows[0].batch);
    // Before the insert, because an insert that fails may have stored the rows.
    this.newest = Math.max(this.newest ?? 0, last);
    const seen = new Set(known.map((row) => Number(row.position)));
    return rows.filter(({ position }) => !seen.has(position) && seen.add(position));
  }

  private storedBetween(store: OpenStore, { first, last }: { first: number; last: number }, token: string) {
    return this.select<{ position: number }>(store, {
      query: `SELECT position FROM message_events
               WHERE position BETWEEN {first:UInt64} AND {last:UInt64} AND batch != {token:String}`,
      params: { first, last, token },
    });
  }

  /** The largest stored position; Infinity for a server, which may have other writers. */
  private async newestStored(store: OpenStore): Promise<number> {
    if (this.config.settings.CLICKHOUSE_URL) return Infinity;
    if (this.newest === undefined) {
      const query = 'SELECT max(position) AS newest FROM message_events';
      const [row] = await this.select<{ newest: number }>(store, { query, params: {} });
      this.newest = Number(row.newest);
    }
    return this.newest;
  }

  private async counts(
    accountId: string,
    domainId: string,
    { minutes, head, tail }: SplitWindow,
  ): Promise<Partial<Record<string, number>>> {
    const rows = await this.select<{ counter: string; recipients: number }>(await this.open(), {
      query: DOMAIN_COUNTS,
      params: {
        account: accountId,
        domain: domainId,
        first_minute: minutes[0] / 1000,
        last_minute: minutes[1] / 1000,
        head_from: head[0],
        head_to: head[1],
        tail_from: tail[0],
        tail_to: tail[1],
      },
    });
    return Object.fromEntries(rows.map(({ counter, recipients }) => [counter, Number(recipients)]));
  }

  private async orUnavailable<T>(read: Promise<T>): Promise<T> {
    try {
      return await read;
    } catch (error) {
      this.log.warn('statistics cannot be read', { reason: reasonOf(error) });
      throw new Refusal('service_unavailable', [], 'Statistics cannot be read right now. Try again.');
    }
  }

  private async select<T>(
    { client }: OpenStore,
    { query, params }: { query: string; params: MetricsStatement['params'] },
  ): Promise<T[]> {
    return this.queries.run(async () => {
      const result = await client.query({
        query,
        query_params: params,
        format: 'JSONEachRow',
        clickhouse_settings: SETTINGS,
      });
      return result.json<T>();
    });
  }
}

/** Sums the rows of a minute, because the engine merges them only occasionally in the background. */
const DOMAIN_COUNTS = `
  SELECT counter, sum(recipients) AS recipients FROM (
    SELECT counter, recipients FROM message_counts
     WHERE account_id = {account:String} AND domain_id = {domain:String}
       AND minute >= toDateTime({first_minute:UInt32}, 'UTC') AND minute < toDateTime({last_minute:UInt32}, 'UTC')
    UNION ALL
    SELECT counter, count() AS recipients FROM message_events
     WHERE account_id = {account:String} AND domain_id = {domain:String} AND counter != ''
       AND ((at >= fromUnixTimestamp64Milli({head_from:Int64}, 'UTC') AND at < fromUnixTimestamp64Milli({head_to:Int64}, 'UTC'))
         OR (at >= fromUnixTimestamp64Milli({tail_from:Int64}, 'UTC') AND at < fromUnixTimestamp64Milli({tail_to:Int64}, 'UTC')))
     GROUP BY counter)
  GROUP BY counter`;

const tooManyRows = () =>
  new Refusal(
    'invalid_parameter',
    [{ field: 'dimensions', code: 'too_many_rows', message: `must not lead to more than ${MAX_ROWS} rows` }],
    `The answer would have more than ${MAX_ROWS} rows. Ask for a shorter time, a coarser granularity or fewer dimensions.`,
  );

function reasonOf(error: unknown): string {
  return (error as Error).message.split('\n', 1)[0];
}
