import { createHash } from 'node:crypto';
import type { LoggedEvent } from '#libs/contracts';
import { mapYielding, Semaphore } from '#libs/kernel';
import type { Engine } from '../engine.js';
import { columnValues, EVENT_ROW_COLUMNS, toStatsRow, type StatsRow } from '../event-row.js';
import { EVENTS, groupsTable, POSITIONS, PROGRESS } from '../schema/tables.js';
import { ValueLimit, type KnownValue } from './value-limit.js';

export interface StatsBatch {
  /** `log`, or topic and partition: where the events come from, in ascending order of their positions. */
  source: string;
  /** Identifies exactly these events in this order; a repetition with the same token counts once. */
  token: string;
  events: readonly LoggedEvent[];
}

/** Larger inserts are not faster; they only take more memory. */
const ROWS_PER_INSERT = 5_000;
/** The source of `stats_progress_by_source` with the position up to which the store is known to be complete. */
const COMPLETE = 'complete';
/** The PostgreSQL log. */
export const LOG_SOURCE = 'log';

/**
 * Adds events to the store, each of them once. The store remembers the last position of each source: what is not above it
 * is already stored. Only the batch in progress, whose position is written after it, relies on the deduplication token.
 */
export class EventIntake {
  /** One after the other: the embedded engine has one token at a time. Questions do not wait for inserts. */
  private readonly turns = new Semaphore(1);
  private readonly limit: ValueLimit;
  /** Last position by source. Only kept if no other process can write to the store. */
  private progress: Map<string, number> | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly isShared: boolean,
  ) {
    this.limit = new ValueLimit((days) => this.knownValues(days));
  }

  /** @throws if it is not certain that the batch is stored; repeat it with the same token and the same events */
  async insert({ source, token, events }: StatsBatch): Promise<void> {
    await this.turns.run(async () => {
      const progress = await this.readProgress();
      const floor = Math.max(progress.get(source) ?? 0, progress.get(COMPLETE) ?? 0);
      const fresh = ascending(events, floor);
      if (fresh.length === 0) return;
      const others = [...progress].map(([name, position]) => (name === source ? 0 : position));
      // After a change between PostgreSQL and Kafka, or of the partitions, events come again from another source.
      const mayBeStored = fresh[0].position <= Math.max(0, ...others);
      for (let from = 0; from < fresh.length; from += ROWS_PER_INSERT)
        await this.insertSlice(`${token}+${from}`, fresh.slice(from, from + ROWS_PER_INSERT), mayBeStored);
      await this.setProgress(source, fresh[fresh.length - 1].position);
    });
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

  /** The position up to which every event that belongs in the store is known to be stored. */
  async completeUpTo(): Promise<number> {
    return (await this.readProgress()).get(COMPLETE) ?? 0;
  }

  setCompleteUpTo(position: number): Promise<void> {
    return this.turns.run(() => this.setProgress(COMPLETE, position));
  }

  /**
   * Every event up to this position that belongs in the store is stored: the last one of the PostgreSQL log, or under
   * Kafka the one up to which the store has been compared with the log.
   */
  async storedUpTo(): Promise<number> {
    const progress = await this.readProgress();
    return Math.max(progress.get(LOG_SOURCE) ?? 0, progress.get(COMPLETE) ?? 0);
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

  /** Forgets what was read, for a store that was changed from outside. */
  forget(): void {
    this.progress = undefined;
  }

  private async insertSlice(token: string, events: readonly LoggedEvent[], mayBeStored: boolean): Promise<void> {
    const batch = numberOf(token);
    let rows = (await mapYielding(events, (event) => toStatsRow(event, batch))).filter((row) => row !== null);
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

  private async readProgress(): Promise<Map<string, number>> {
    if (this.progress !== undefined && !this.isShared) return this.progress;
    const rows = await this.engine.select<{ source: string; stored: string }>({
      query: `SELECT source, toString(max(position)) AS stored FROM ${PROGRESS} GROUP BY source`,
      params: {},
    });
    this.progress = new Map(rows.map(({ source, stored }) => [source, Number(stored)]));
    return this.progress;
  }

  private async setProgress(source: string, position: number): Promise<void> {
    await this.engine.insert({ table: PROGRESS, columns: ['source', 'position'], rows: [[source, position]] });
    this.progress?.set(source, Math.max(position, this.progress.get(source) ?? 0));
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
