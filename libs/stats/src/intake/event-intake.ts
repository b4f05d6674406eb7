import { createHash } from 'node:crypto';
import type { LoggedEvent } from '#libs/contracts';
import { backoffMs, Semaphore, yielding } from '#libs/kernel';
import type { Engine } from '../engine.js';
import { columnValues, EVENT_ROW_COLUMNS, toStatsRow, type StatsRow } from '../event-row.js';
import { EVENTS, groupsTable, POSITIONS } from '../schema/tables.js';
import { PartitionChains, type StoredRecords } from './partition-chains.js';
import { COMPLETE, lastPositions, LOG_SOURCE, Progress, storedUpTo, type Positions } from './progress.js';
import { ValueLimit, type KnownValue } from './value-limit.js';

export interface StatsBatch {
  /** `log`, or `<topic>/<partition>`: where the events come from, in ascending order of their positions. */
  source: string;
  /** Identifies exactly these events in this order; a repetition with the same token counts once. */
  token: string;
  events: readonly LoggedEvent[];
  /** The records of a partition that have these events. */
  records?: StoredRecords;
}

/** Larger inserts are not faster; they only take more memory. */
const ROWS_PER_INSERT = 5_000;
/** Markers come from each partition every second and are stored together. */
const STORE_MARKERS_MS = 500;

/**
 * Adds events to the store, each of them once. The store remembers the last position of each source: what is not above it
 * is already stored. Only the batch in progress, whose position is written after it, relies on the deduplication token.
 */
export class EventIntake {
  /** One after the other: the embedded engine has one token at a time. Questions do not wait for inserts. */
  private readonly turns = new Semaphore(1);
  private readonly limit: ValueLimit;
  private readonly progress: Progress;
  private readonly chains = new PartitionChains();
  /** The last position of each source that this process has stored, if nothing failed since. */
  private readonly batches = new Map<string, number>();
  /** The newest stored position when this process began or continued with a source. */
  private readonly newest = new Map<string, number>();
  private markersTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly of: { isShared: boolean; serviceDomain: string },
  ) {
    this.progress = new Progress(engine, of.isShared);
    this.limit = new ValueLimit((days) => this.knownValues(days));
  }

  /** @throws if it is not certain that the batch is stored; repeat it with the same token and the same events */
  async insert(batch: StatsBatch): Promise<void> {
    await this.turns.run(() => this.insertFresh(batch));
    // The PostgreSQL log is one source, whose last position says everything.
    if (batch.source === LOG_SOURCE || batch.records === undefined) return;
    this.chains.add(batch.source, batch.records);
    if (batch.records.completeTo !== undefined) this.storeMarkersLater();
  }

  private async insertFresh({ source, token, events }: StatsBatch): Promise<void> {
    if (events.length === 0) return;
    const progress = await this.progress.read();
    const floor = Math.max(progress.get(source) ?? 0, progress.get(COMPLETE) ?? 0);
    const fresh = ascending(events, floor);
    if (fresh.length === 0) return;
    const mayBeStored = fresh[0].position <= (await this.newestStored(source, progress));
    this.batches.delete(source);
    for (let from = 0; from < fresh.length; from += ROWS_PER_INSERT)
      await this.insertSlice(`${token}+${from}`, fresh.slice(from, from + ROWS_PER_INSERT), mayBeStored);
    const last = fresh[fresh.length - 1].position;
    await this.progress.advance([[source, last]]);
    this.batches.set(source, last);
  }

  /**
   * Events up to this position may be stored, although the source has not come so far: by another source, after a change
   * between PostgreSQL and Kafka or of the partitions; and by a process that ended between an insert and its position, whose
   * batch comes back divided in another way if the consumer is set back.
   */
  private async newestStored(source: string, progress: Positions): Promise<number> {
    const others = lastPositions(progress).map(([name, position]) => (name === source ? 0 : position));
    if (this.batches.get(source) !== progress.get(source) || !this.batches.has(source))
      this.newest.set(source, await this.newestPosition());
    return Math.max(this.newest.get(source) ?? 0, ...others);
  }

  /** Reads the ends of the parts of the table. */
  private async newestPosition(): Promise<number> {
    const rows = await this.engine.select<{ newest: string }>({
      query: `SELECT toString(position) AS newest FROM ${POSITIONS} ORDER BY position DESC LIMIT 1`,
      params: {},
    });
    return Number(rows.at(0)?.newest ?? 0);
  }

  private storeMarkersLater(failures = 0): void {
    this.markersTimer ??= setTimeout(
      () => {
        this.markersTimer = undefined;
        // The store does not respond, which the next batch reports.
        this.turns.run(() => this.storeMarkers()).catch(() => this.storeMarkersLater(failures + 1));
      },
      failures === 0 ? STORE_MARKERS_MS : backoffMs(failures),
    ).unref();
  }

  private async storeMarkers(): Promise<void> {
    const entries = this.chains.news(await this.progress.read());
    await this.progress.advance(entries);
    this.chains.stored(entries);
  }

  /** Markers that are not stored yet are found again by the next process. */
  close(): void {
    clearTimeout(this.markersTimer);
  }

  /**
   * Adds those events that the store lacks, wherever it lost them.
   * @param attempt counts attempts that were confirmed and yet did not add everything
   */
  async fill(events: readonly LoggedEvent[], attempt: number): Promise<void> {
    if (events.length === 0) return;
    const [first, last] = [events[0].position, events[events.length - 1].position];
    await this.turns.run(() => this.insertSlice(`gap:${first}-${last}:${attempt}`, ascending(events, 0), true));
  }

  /** Runs alone, without inserts. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.turns.run(work);
  }

  /** Adds events whose rows were deleted. Only within `alone`. */
  insertAgain(token: string, events: readonly LoggedEvent[]): Promise<void> {
    return this.insertSlice(token, ascending(events, 0), false);
  }

  /** The day of the oldest event that a batch in progress may have stored in some tables only; null if there is none. */
  async firstUnconfirmedDay(confirmedUpTo: number): Promise<string | null> {
    const progress = await this.progress.read();
    const rows = await this.engine.select<{ day: string }>({
      query: `SELECT toString(min(day)) AS day FROM (
                SELECT day FROM ${POSITIONS} WHERE position > {stored:UInt64} UNION ALL
                SELECT toDate(at) AS day FROM ${EVENTS} WHERE position > {stored:UInt64}) HAVING count() > 0`,
      params: { stored: Math.max(progress.get(LOG_SOURCE) ?? 0, confirmedUpTo) },
    });
    return rows.at(0)?.day ?? null;
  }

  /** The position up to which every event that belongs in the store is known to be stored. */
  async completeUpTo(): Promise<number> {
    return (await this.progress.read()).get(COMPLETE) ?? 0;
  }

  setCompleteUpTo(position: number): Promise<void> {
    return this.turns.run(async () => {
      await this.progress.advance([[COMPLETE, position]]);
      await this.storeMarkers();
    });
  }

  /** Every event up to this position that belongs in the store is stored, see `storedUpTo`. */
  async storedUpTo(): Promise<number> {
    return storedUpTo(await this.progress.read());
  }

  /** The number of stored events with a position above `after`, up to `upTo`. */
  async countStored({ after, upTo }: { after: number; upTo: number }): Promise<number> {
    const [row] = await this.engine.select<{ events: number }>({
      query: `SELECT uniqExact(position) AS events FROM ${POSITIONS}
               WHERE position > {after:UInt64} AND position <= {up_to:UInt64}`,
      params: { after, up_to: upTo },
    });
    return Number(row.events);
  }

  /** Those of some positions whose events are stored. */
  async storedAmong(positions: readonly number[]): Promise<Set<number>> {
    const rows = await this.engine.select<{ stored: string }>({
      query: `SELECT DISTINCT toString(position) AS stored FROM ${POSITIONS}
               WHERE position IN (SELECT toUInt64(arrayJoin({positions:Array(String)})))`,
      params: { positions: positions.map(String) },
    });
    return new Set(rows.map(({ stored }) => Number(stored)));
  }

  /** Forgets what was read, for a store that was changed from outside. */
  forget(): void {
    this.progress.forget();
    this.batches.clear();
  }

  private async insertSlice(token: string, events: readonly LoggedEvent[], mayBeStored: boolean): Promise<void> {
    const batch = numberOf(token);
    const of = { batch, serviceDomain: this.of.serviceDomain };
    let rows = (await yielding.map(events, (event) => toStatsRow(event, of))).filter((row) => row !== null);
    if (mayBeStored && rows.length > 0) rows = await this.withoutStored(rows, batch);
    if (rows.length === 0) return;
    await this.limit.apply(rows);
    await this.engine.insert({
      table: EVENTS,
      columns: EVENT_ROW_COLUMNS,
      rows: rows.map(columnValues),
      token,
    });
  }

  /** Rows of this batch remain, because a repeated insert must be equal to the first one, and completes its roll-ups. */
  private async withoutStored(rows: StatsRow[], batch: string): Promise<StatsRow[]> {
    const known = await this.engine.select<{ stored: string }>({
      query: `SELECT toString(position) AS stored FROM ${POSITIONS}
               WHERE position BETWEEN {first:UInt64} AND {last:UInt64} AND batch != {batch:UInt64}`,
      params: { first: rows[0].position, last: rows[rows.length - 1].position, batch },
    });
    const stored = new Set(known.map((row) => Number(row.stored)));
    return rows.filter(({ position }) => !stored.has(position));
  }

  private knownValues(days: string[]): Promise<KnownValue[]> {
    return this.engine.select<KnownValue>({
      query: `SELECT toString(toDate(period)) AS day, toString(account_id) AS account_id, dimension, value
                FROM ${groupsTable('day')} WHERE period IN (SELECT toDateTime(arrayJoin({days:Array(Date)}), 'UTC'))
               GROUP BY day, account_id, dimension, value`,
      params: { days },
    });
  }
}

/** The events above `floor`, without repetitions: the relay to Kafka may send records again that the topic has. */
function ascending(events: readonly LoggedEvent[], floor: number): LoggedEvent[] {
  let last = floor;
  return events.filter(({ position }) => {
    if (position <= last) return false;
    last = position;
    return true;
  });
}

/** 64 bits of a digest. */
const numberOf = (token: string): string => createHash('sha256').update(token).digest().readBigUInt64LE().toString();
