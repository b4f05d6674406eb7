import type { LoggedEvent } from '#libs/contracts';
import { backoffMs, sleep, WakeSignal, type LocalNotifications, type Log } from '#libs/kernel';
import type { Database, Worker } from '#libs/persistence';
import type { BatchBoundaries, Boundaries } from '../batch-boundaries.js';
import type { ConsumeOptions, EventBatch } from '../event-log.js';
import { batchesAfter, BATCH_END, endOfBatchWith, EVENTS_OF_BATCH, LOG_COLUMNS, POSITION } from './event-row.js';
import { ReadHint, toLoggedEvent, type LoggedEventRow } from './event-row.js';
import type { LogLag } from '../log-lag.js';
import { PositionLease } from './position-lease.js';
import type { RecentEvents } from './recent-events.js';

/** Notifications make consumers fast; the poll covers lost notifications. */
const POLL_MS = 1_000;
const STANDBY_MS = 500;
/** A burst: so many events in the last batch, or so many batches with at most the given pause in between. */
const BURST_EVENTS = 50;
const BURST_BATCHES = 5;
const BURST_PAUSE_MS = 200;
const LOG_SOURCE = 'log';

/** A consumer of the PostgreSQL log in this process. No transaction is open while a batch is handled. */
export class PostgresConsumer {
  private readonly signal = new WakeSignal();
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;
  private unsubscribe: (() => void) | undefined;
  private failures = 0;
  private readonly hint = new ReadHint();
  /** The last batch, the time of `performance.now()`, and the number of batches in a row before it. */
  private last = { events: 0, at: -Infinity, consecutive: 0 };

  constructor(
    private readonly options: ConsumeOptions,
    private readonly parts: {
      database: Database;
      boundaries: BatchBoundaries;
      notifications: LocalNotifications;
      log: Log;
      recent: RecentEvents;
      worker: Worker;
      lag: Pick<LogLag, 'countLost'>;
    },
  ) {}

  start(): void {
    this.unsubscribe ??= this.parts.notifications.on('log', () => this.signal.notify());
    this.loop ??= this.run();
  }

  /** Waits for the batch in progress and stores its position. */
  async stop(): Promise<void> {
    this.unsubscribe?.();
    this.stopping.abort();
    this.signal.notify();
    await this.loop;
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.runWithLease();
      } catch (error) {
        this.failed('lost its position lease', error);
        await sleep(backoffMs(this.failures), this.stopping.signal);
      }
    }
  }

  /** From taking the lease until it is lost or the consumer stops. */
  private async runWithLease(): Promise<void> {
    const lease = new PositionLease(this.parts.database, this.parts.worker, this.options.consumer);
    try {
      while (!this.stopped && !(await lease.take())) await sleep(STANDBY_MS, this.stopping.signal);
      if (!this.stopped) await lease.begin();
      if (this.options.recordBoundaries && !this.stopped) await this.repeatRecorded(lease);
      while (!this.stopped) await this.step(lease);
    } finally {
      await lease.release();
    }
  }

  private async step(lease: PositionLease): Promise<void> {
    lease.check();
    const { batchSize, recordBoundaries } = this.options;
    const { batch, isLast } = await this.next(lease.position);
    this.failures = 0;
    if (batch !== null) {
      if (recordBoundaries && !(await this.parts.boundaries.record(this.boundarySource, batch)))
        throw new Error(`another instance of ${this.options.consumer} has started a later batch`);
      await this.process(batch, lease);
      const { at, consecutive } = this.last;
      const now = performance.now();
      this.last = {
        events: batch.events.length,
        at: now,
        consecutive: now - at < BURST_PAUSE_MS ? consecutive + 1 : 0,
      };
    }
    if (isLast) await this.signal.wait(POLL_MS);
    if (isLast || this.last.events < batchSize) await this.linger();
  }

  /** Waits for the next batch to become fuller. */
  private async linger(): Promise<void> {
    const { linger = 0, burstLinger = 0 } = this.options;
    const { events, at, consecutive } = this.last;
    const isBurst = performance.now() - at < BURST_PAUSE_MS && (events >= BURST_EVENTS || consecutive >= BURST_BATCHES);
    const ms = isBurst ? Math.max(linger, burstLinger) : linger;
    if (ms > 0) await sleep(ms, this.stopping.signal);
  }

  /** Repeats a batch that was recorded, and perhaps handled, but whose position was not stored. */
  private async repeatRecorded(lease: PositionLease): Promise<void> {
    const recorded = await this.parts.boundaries.recorded(this.boundarySource);
    if (recorded === null || recorded.last <= lease.position) return;
    if (recorded.first > lease.position + 1) return this.parts.boundaries.remove(this.boundarySource, recorded);
    const batch = await this.readRange(recorded);
    if (batch?.first !== recorded.first || batch.last !== recorded.last) {
      // It cannot be repeated as it was. What the log still has of it becomes part of a new batch.
      this.parts.log.warn('log consumer: the event log no longer has the recorded batch', {
        consumer: this.options.consumer,
        ...recorded,
      });
      return this.parts.boundaries.remove(this.boundarySource, recorded);
    }
    this.parts.log.info('log consumer: repeats the recorded batch', {
      consumer: this.options.consumer,
      ...recorded,
    });
    await this.process(batch, lease);
  }

  /** Handles the batch until it succeeds, then stores the position. */
  private async process(batch: EventBatch, lease: PositionLease): Promise<void> {
    while (!(await this.tryHandle(batch, lease))) {
      await sleep(backoffMs(this.failures), this.stopping.signal);
      if (this.stopped) return;
      lease.check();
    }
    await lease.advance(batch.last, this.stopping.signal);
  }

  private async tryHandle(batch: EventBatch, lease: PositionLease): Promise<boolean> {
    try {
      await this.options.handle(batch, lease);
      this.failures = 0;
      return true;
    } catch (error) {
      this.failed('a batch failed and is repeated', error, { first: batch.first, last: batch.last });
      return false;
    }
  }

  /** The next events after `position`; `isLast`: the log has no more. */
  private async next(position: number): Promise<{ batch: EventBatch | null; isLast: boolean }> {
    const { batchSize } = this.options;
    const shared = this.parts.recent.from(position + 1, batchSize);
    if (shared.length > 0) return { batch: batchOf(shared), isLast: false };
    // Not by a range of positions: these are dense, but the oldest events may have been deleted.
    const batch = await this.read({
      name: 'bus-log-next',
      text: `SELECT ${LOG_COLUMNS} FROM (${batchesAfter('$1', '$3')}) AS b, ${EVENTS_OF_BATCH}
              WHERE ${POSITION} > $1 LIMIT $2`,
      values: [position, batchSize, this.hint.since(position)],
    });
    if (batch !== null) {
      this.parts.recent.addRead(batch.events);
      this.reportGap(position, batch.first);
    }
    return { batch, isLast: batch === null || batch.events.length < batchSize };
  }

  /** Events that retention dropped before this consumer handled them. A new consumer begins with the oldest event. */
  private reportGap(position: number, next: number): void {
    const lost = next - position - 1;
    if (lost <= 0 || position === 0) return;
    this.parts.lag.countLost(this.options.consumer, lost);
    this.parts.log.warn('log consumer: events were dropped from the event log before they were handled', {
      consumer: this.options.consumer,
      events: lost,
      first: position + 1,
      last: next - 1,
    });
  }

  private readRange({ first, last }: Boundaries): Promise<EventBatch | null> {
    return this.read({
      name: 'bus-log-range',
      text: `SELECT ${LOG_COLUMNS} FROM event_log AS b, ${EVENTS_OF_BATCH}
              WHERE ${BATCH_END} > $1 AND ${BATCH_END} <= ${endOfBatchWith('$2')} AND ${POSITION} BETWEEN $1 AND $2
              ORDER BY position`,
      values: [first, last],
    });
  }

  private async read(query: { name: string; text: string; values: unknown[] }): Promise<EventBatch | null> {
    const { rows } = await this.parts.database.query<LoggedEventRow>(query);
    this.hint.note(rows);
    return rows.length === 0 ? null : batchOf(rows.map(toLoggedEvent));
  }

  private get boundarySource(): string {
    return `${this.options.consumer}:${LOG_SOURCE}`;
  }

  private failed(event: string, error: unknown, fields: object = {}): void {
    this.failures += 1;
    this.parts.log.warn(`log consumer: ${event}`, {
      consumer: this.options.consumer,
      reason: (error as Error | undefined)?.message ?? String(error),
      failures: this.failures,
      ...fields,
    });
  }
}

function batchOf(events: LoggedEvent[]): EventBatch {
  const last = events[events.length - 1].position;
  return { source: LOG_SOURCE, first: events[0].position, last, events, completeTo: last, sources: 1 };
}
