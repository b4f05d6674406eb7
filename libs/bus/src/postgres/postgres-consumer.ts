import type { LoggedEvent } from '#libs/contracts';
import type { Log, Wakeups } from '#libs/kernel';
import type { Database } from '#libs/persistence';
import { backOff, pause } from '../back-off.js';
import type { BatchBoundaries, Boundaries } from '../batch-boundaries.js';
import { Bell } from '../bell.js';
import type { ConsumeOptions, EventBatch } from '../event-log.js';
import { LOG_COLUMNS, loggedEvent, type LoggedEventRow } from './logged-event-row.js';
import { PositionLease } from './position-lease.js';
import type { RecentEvents } from './recent-events.js';

/** Rings and notifications make it fast; a poll finds what a broken connection kept from being told. */
const POLL_MS = 1_000;
const STANDBY_MS = 500;
/** So many events in one batch, or so many batches one soon after the other, mean that more are coming. */
const CROWD_EVENTS = 50;
const CROWD_BATCHES = 5;
const SOON_MS = 200;
export const LOG_SOURCE = 'log';

/** One consumer of the PostgreSQL log in this process. No transaction is open while a batch is handled. */
export class PostgresConsumer {
  private readonly bell = new Bell();
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;
  private deafen: (() => void) | undefined;
  private failures = 0;
  /** The last batch: `at` of `performance.now()`, and how many came before it, each soon after the other. */
  private last = { events: 0, at: -Infinity, inARow: 0 };

  constructor(
    private readonly of: ConsumeOptions,
    private readonly parts: {
      database: Database;
      boundaries: BatchBoundaries;
      wakeups: Wakeups;
      log: Log;
      recent: RecentEvents;
    },
  ) {}

  start(): void {
    this.deafen ??= this.parts.wakeups.on('log', () => this.bell.ring());
    this.loop ??= this.run();
  }

  /** Takes nothing more, waits for the batch in progress and stores its position. */
  async stop(): Promise<void> {
    this.deafen?.();
    this.stopping.abort();
    this.bell.ring();
    await this.loop;
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.tenure();
      } catch (error) {
        this.failed('lost its place', error);
        await pause(backOff(this.failures), this.stopping.signal);
      }
    }
  }

  /** From taking the lock to losing it or stopping. */
  private async tenure(): Promise<void> {
    const lease = await PositionLease.open(this.parts.database, this.of.consumer);
    try {
      while (!this.stopped && !(await lease.take())) await pause(STANDBY_MS, this.stopping.signal);
      if (this.of.recordBoundaries && !this.stopped) await this.repeatBegun(lease);
      while (!this.stopped) await this.step(lease);
    } finally {
      lease.release();
    }
  }

  private async step(lease: PositionLease): Promise<void> {
    lease.check();
    const { batchSize, recordBoundaries } = this.of;
    const { batch, isLast } = await this.next(lease.position);
    this.failures = 0;
    if (batch !== null) {
      if (recordBoundaries && !(await this.parts.boundaries.record(this.boundarySource, batch)))
        throw new Error(`another instance of ${this.of.consumer} has begun a later batch`);
      await this.complete(batch, lease);
      const { at, inARow } = this.last;
      const now = performance.now();
      this.last = { events: batch.events.length, at: now, inARow: now - at < SOON_MS ? inARow + 1 : 0 };
    }
    if (isLast) await this.bell.wait(POLL_MS);
    if (isLast || this.last.events < batchSize) await this.gather();
  }

  /** Time for the next batch to become fuller. */
  private async gather(): Promise<void> {
    const { linger = 0, crowdLinger = 0 } = this.of;
    const { events, at, inARow } = this.last;
    const isCrowd = performance.now() - at < SOON_MS && (events >= CROWD_EVENTS || inARow >= CROWD_BATCHES);
    const ms = isCrowd ? Math.max(linger, crowdLinger) : linger;
    if (ms > 0) await pause(ms, this.stopping.signal);
  }

  /** The batch that was begun and perhaps handled, but whose position was not stored. */
  private async repeatBegun(lease: PositionLease): Promise<void> {
    const begun = await this.parts.boundaries.recorded(this.boundarySource);
    if (begun === null || begun.last <= lease.position) return;
    if (begun.first > lease.position + 1) return this.parts.boundaries.forget(this.boundarySource, begun);
    const batch = await this.begun(begun);
    if (batch === null) throw new Error(`the log does not have the batch that ${this.of.consumer} has begun`);
    this.parts.log.info('log consumer: repeats the batch it had begun', { consumer: this.of.consumer, ...begun });
    await this.complete(batch, lease);
  }

  /** Handles the batch as often as it takes, then stores the position. */
  private async complete(batch: EventBatch, lease: PositionLease): Promise<void> {
    while (!(await this.handled(batch))) {
      await pause(backOff(this.failures), this.stopping.signal);
      if (this.stopped) return;
      lease.check();
    }
    await lease.advance(batch.last);
  }

  private async handled(batch: EventBatch): Promise<boolean> {
    try {
      await this.of.handle(batch);
      this.failures = 0;
      return true;
    } catch (error) {
      this.failed('batch failed and is repeated', error, { first: batch.first, last: batch.last });
      return false;
    }
  }

  /** The next events after `position`, at most `batchSize`; `isLast`: there were no more in the log. */
  private async next(position: number): Promise<{ batch: EventBatch | null; isLast: boolean }> {
    const { batchSize } = this.of;
    const shared = this.parts.recent.from(position + 1, batchSize);
    if (shared.length > 0) return { batch: batchOf(shared), isLast: false };
    // By what comes next, not by positions alone: they are dense, but the oldest may have been cleared away.
    const batch = await this.read({
      name: 'bus-log-next',
      text: `SELECT ${LOG_COLUMNS} FROM event_log WHERE position > $1 ORDER BY position LIMIT $2`,
      values: [position, batchSize],
    });
    if (batch !== null) this.parts.recent.remember(batch.events);
    return { batch, isLast: batch === null || batch.events.length < batchSize };
  }

  private begun({ first, last }: Boundaries): Promise<EventBatch | null> {
    return this.read({
      name: 'bus-log-begun',
      text: `SELECT ${LOG_COLUMNS} FROM event_log WHERE position BETWEEN $1 AND $2 ORDER BY position`,
      values: [first, last],
    });
  }

  private async read(query: { name: string; text: string; values: number[] }): Promise<EventBatch | null> {
    const { rows } = await this.parts.database.query<LoggedEventRow>(query);
    return rows.length === 0 ? null : batchOf(rows.map(loggedEvent));
  }

  private get boundarySource(): string {
    return `${this.of.consumer}:${LOG_SOURCE}`;
  }

  private failed(event: string, error: unknown, fields: object = {}): void {
    this.failures += 1;
    this.parts.log.warn(`log consumer: ${event}`, {
      consumer: this.of.consumer,
      reason: (error as Error | undefined)?.message ?? String(error),
      failures: this.failures,
      ...fields,
    });
  }
}

function batchOf(events: LoggedEvent[]): EventBatch {
  return { source: LOG_SOURCE, first: events[0].position, last: events[events.length - 1].position, events };
}
