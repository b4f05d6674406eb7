import type { ClickHouseSettings } from '@clickhouse/client';
import { Injectable } from '@nestjs/common';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal, STATS_COUNTERS, type DomainStats, type LoggedEvent, type StatsCounter } from '#libs/contracts';
import { Config, inTurns, Log } from '#libs/kernel';
import { openEmbedded } from './embedded-engine.js';
import { Lane } from './lane.js';
import { metricsAnswer, type EngineRow } from './metrics-answer.js';
import type { MetricsAnswer, MetricsQuery } from './metrics-query.js';
import { MAX_ROWS, metricsStatement, type MetricsStatement } from './metrics-sql.js';
import { MEMORY_LIMIT_BYTES, openServer, type StatsConnection } from './stats-connection.js';
import { prepareSchema } from './stats-schema.js';
import { periodStarts } from './periods.js';
import { STATS_COLUMNS, statsRow, statsValues, type StatsRow } from './stats-row.js';
import { statsWindow, type StatsWindow } from './stats-window.js';

export interface StatsBatch {
  /** Names exactly these events in this order; the same token with the same events counts once. */
  token: string;
  events: readonly LoggedEvent[];
}

interface OpenStore extends StatsConnection {
  identity: string;
}

const QUERIES_AT_ONCE = 2;
/** More rows at once would not be stored faster, only take more memory. */
const ROWS_PER_INSERT = 5_000;

const SETTINGS: ClickHouseSettings = {
  max_memory_usage: String(MEMORY_LIMIT_BYTES),
  async_insert: 0,
  // A crash between the events and the roll-up leaves the roll-up behind; the repeated insert then completes it.
  deduplicate_blocks_in_dependent_materialized_views: 1,
};

/** Statistics in ClickHouse: on a server with `CLICKHOUSE_URL`, else inside this process. */
@Injectable()
export class StatsStore {
  private opening: Promise<OpenStore> | undefined;
  private opened: OpenStore | undefined;
  private closed = false;
  /** The greatest position that was handed to this store, as far as it is known. */
  private newest: number | undefined;
  private readonly queries = new Lane(QUERIES_AT_ONCE);
  /** The look-up and the insert of a batch belong together; the embedded engine has one token at a time. */
  private readonly inserts = new Lane(1);

  constructor(
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Opens the store and brings its tables up to date; once, however often it is called. After a failure the next call
   * tries again.
   * @throws with the engine's reason.
   */
  async ready(): Promise<void> {
    await this.open();
  }

  /**
   * Names the data, not the place: a store that was lost and begun anew has another identity. A consumer that puts it
   * into its name therefore begins again at the start of the log exactly when the store did. Known once `ready`.
   */
  get identity(): string {
    if (!this.opened) throw new Error('the statistics store is not open yet');
    return this.opened.identity;
  }

  /**
   * Adds a batch; at most once per token, and at most once per event whatever the batch it comes in.
   * @throws when it is not certain that the batch is stored; then repeat it with the same token and the same events.
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

  /**
   * Counts of one domain of one account in [from, to), exact to the millisecond; zeros for a domain that is not theirs.
   * @throws Refusal `service_unavailable` while the engine does not answer.
   */
  async domainStats(accountId: string, domainId: string, { from, to }: { from: Date; to: Date }): Promise<DomainStats> {
    const counts = await this.readable(this.counts(accountId, domainId, statsWindow(from, to)));
    const shown = STATS_COUNTERS.map((counter) => [counter, counts[counter] ?? 0] as const);
    return { domainId, from, to, ...(Object.fromEntries(shown) as Record<StatsCounter, number>) };
  }

  /**
   * Counts, rates and percentiles of one account, broken down as asked. Rows are in order of their place.
   * @throws Refusal `invalid_parameter` for an answer of more than 5,000 rows, `service_unavailable` while the engine
   * does not answer.
   */
  async metrics(question: MetricsQuery): Promise<MetricsAnswer> {
    const starts = question.dimensions.includes('period') ? periodStarts(question, MAX_ROWS + 1) : [];
    if (starts.length > MAX_ROWS) throw tooManyRows();
    const rows = await this.readable(
      this.open().then((store) => this.select<EngineRow>(store, metricsStatement(question, starts))),
    );
    if (rows.length > MAX_ROWS + 1) throw tooManyRows();
    return metricsAnswer(question, starts, rows);
  }

  /** Lets running queries finish. Later calls are refused. */
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
    const rows = (await inTurns(events, (event) => statsRow(event, token))).filter((row) => row !== null);
    const fresh = rows.length === 0 ? [] : await this.withoutKnown(store, rows);
    if (fresh.length === 0) return;
    await this.queries.run(() =>
      store.insert({
        table: 'mail_events',
        columns: STATS_COLUMNS,
        rows: fresh.map(statsValues),
        settings: { ...SETTINGS, insert_deduplication_token: token },
      }),
    );
  }

  /**
   * The rows whose events did not come in another batch. Tokens alone only help against the same batch: after a
   * consumer was set back, the same events arrive in batches that are cut differently. Rows of the same token stay in,
   * because a repeated insert must be equal to the first one.
   */
  private async withoutKnown(store: OpenStore, rows: StatsRow[]): Promise<StatsRow[]> {
    const positions = rows.map((row) => row.position);
    const first = positions.reduce((a, b) => Math.min(a, b));
    const last = positions.reduce((a, b) => Math.max(a, b));
    const known =
      first > (await this.newestStored(store)) ? [] : await this.storedBetween(store, { first, last }, rows[0].batch);
    // Before the insert: one that fails may have stored them all the same.
    this.newest = Math.max(this.newest ?? 0, last);
    const seen = new Set(known.map((row) => Number(row.position)));
    return rows.filter(({ position }) => !seen.has(position) && seen.add(position));
  }

  private storedBetween(store: OpenStore, { first, last }: { first: number; last: number }, token: string) {
    return this.select<{ position: number }>(store, {
      query: `SELECT position FROM mail_events
               WHERE position BETWEEN {first:UInt64} AND {last:UInt64} AND batch != {token:String}`,
      params: { first, last, token },
    });
  }

  /** Nothing behind this position is in the store. Known where nobody else writes to it: a server has other writers. */
  private async newestStored(store: OpenStore): Promise<number> {
    if (this.config.settings.CLICKHOUSE_URL) return Infinity;
    if (this.newest === undefined) {
      const query = 'SELECT max(position) AS newest FROM mail_events';
      const [row] = await this.select<{ newest: number }>(store, { query, params: {} });
      this.newest = Number(row.newest);
    }
    return this.newest;
  }

  private async counts(
    accountId: string,
    domainId: string,
    { minutes, head, tail }: StatsWindow,
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

  private async readable<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading;
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

/** The sums are taken here too: the engine adds up rows of one minute only now and then, in the background. */
const DOMAIN_COUNTS = `
  SELECT counter, sum(recipients) AS recipients FROM (
    SELECT counter, recipients FROM mail_counts
     WHERE account_id = {account:String} AND domain_id = {domain:String}
       AND minute >= toDateTime({first_minute:UInt32}, 'UTC') AND minute < toDateTime({last_minute:UInt32}, 'UTC')
    UNION ALL
    SELECT counter, count() AS recipients FROM mail_events
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
