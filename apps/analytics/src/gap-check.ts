import { Injectable } from '@nestjs/common';
import { EventLog, LiveLog, ParkedEvents, Parking, type EventBatch, type PositionRange } from '#libs/bus';
import { Log, sleep } from '#libs/kernel';
import type { Lease } from '#libs/persistence';
import { isRefusedRow, STORED_TYPES, StatsStore } from '#libs/stats';
import { GapMetrics } from './gap-metrics.js';
import { StoreWriters } from './store-writers.js';

const CHECK_MS = 15_000;
/** Positions that are compared at once. */
const RANGE = 10_000;
const READ_EVENTS = 5_000;
/** The source of batches from the PostgreSQL log. */
const LOG = 'log';

/** Of the process that compares. */
interface Turn {
  consumer: string;
  lease: Pick<Lease, 'held' | 'isHeld' | 'take'>;
}

/**
 * Compares the statistics store with the PostgreSQL log, whose positions are dense, and adds what the store lacks: events
 * that Kafka lost with a topic or removed before a new store read them, or those after the backup of a restored store. One
 * process at a time: two that find the same events missing would add them in batches with different tokens.
 */
@Injectable()
export class GapCheck {
  /** Rounds in which the range could not be completed: the same events then need another token. */
  private attempts = 0;
  /** Tests compare more often. */
  everyMs = CHECK_MS;

  constructor(
    private readonly eventLog: EventLog,
    private readonly liveLog: LiveLog,
    private readonly parked: ParkedEvents,
    private readonly parking: Parking,
    private readonly store: StatsStore,
    private readonly log: Log,
    private readonly metrics: GapMetrics,
    private readonly writers: StoreWriters,
  ) {}

  /** Checks what `consumer` has handled, now and then periodically, until `stopping` aborts. */
  async run(consumer: string, stopping: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => stopping.addEventListener('abort', () => resolve(), { once: true }));
    const lease = this.writers.gapLease(consumer);
    while (!stopping.aborted) {
      // A round may wait for Kafka longer than a stop does. It writes nothing that the next one does not write again.
      await Promise.race([this.tryRound({ consumer, lease }, stopping), aborted]);
      await sleep(this.everyMs, stopping);
    }
    await lease.release();
  }

  private async tryRound(turn: Turn, stopping: AbortSignal): Promise<void> {
    try {
      if (turn.lease.isHeld || (await turn.lease.take())) return await this.round(turn, stopping);
      this.metrics.found(0);
      this.metrics.complete.set(await this.store.completeUpTo());
    } catch (error) {
      if (stopping.aborted) return;
      this.log.warn('statistics cannot be compared with the event log', { reason: (error as Error).message });
    }
  }

  private async round(turn: Turn, stopping: AbortSignal): Promise<void> {
    const end = await this.eventLog.handledPosition(turn.consumer);
    let after = await this.store.completeUpTo();
    if (after < end) after = await this.skipLost({ after, upTo: end });
    while (after < end && !stopping.aborted) {
      const upTo = Math.min(after + RANGE, end);
      await this.check(turn, { after, upTo });
      turn.lease.held();
      await this.store.setCompleteUpTo(upTo);
      after = upTo;
    }
    this.metrics.complete.set(after);
  }

  /** The end of the part of the range that the log no longer has. */
  private async skipLost({ after, upTo }: PositionRange): Promise<number> {
    const oldest = await this.liveLog.oldest();
    const gone = oldest === 0 ? upTo : Math.min(oldest - 1, upTo);
    if (gone <= after) return after;
    // Not all of these events belong in statistics: this is the largest number that may be missing.
    const events = gone - after - (await this.store.countStored({ after, upTo: gone }));
    if (events > 0) {
      this.metrics.lost.inc(events);
      this.log.warn('statistics may lack events that the event log no longer has', { events, after, upTo: gone });
    }
    await this.store.setCompleteUpTo(gone);
    return gone;
  }

  private async check(turn: Turn, range: PositionRange): Promise<void> {
    const missing = await this.countMissing(turn.consumer, range);
    this.metrics.found(missing);
    if (missing === 0) return;
    this.log.warn('statistics lack events, which are added from the event log', { events: missing, ...range });
    await this.fill(turn, range);
    const left = await this.countMissing(turn.consumer, range);
    this.attempts = left > 0 ? this.attempts + 1 : 0;
    this.metrics.added(left);
    if (left > 0) throw new Error(`${left} events from ${range.after} to ${range.upTo} could not be added`);
  }

  /** Without the events that the store did not take. */
  private async countMissing(consumer: string, range: PositionRange): Promise<number> {
    const [expected, stored, parked] = await Promise.all([
      this.liveLog.count(range, STORED_TYPES),
      this.store.countStored(range),
      this.parked.positions(consumer, range),
    ]);
    // A replay stores an event before it is no longer parked.
    const taken = parked.size === 0 ? new Set<number>() : await this.store.storedAmong([...parked]);
    return Math.max(0, expected - stored - (parked.size - taken.size));
  }

  /**
   * Repeated with the same token until it is confirmed, so that it completes what a crash interrupted. What the store does
   * not take is parked, as in the sink: it would come again in each round.
   */
  private async fill({ consumer, lease }: Turn, { after, upTo }: PositionRange): Promise<void> {
    const parked = await this.parked.positions(consumer, { after, upTo });
    const handle = ({ events }: EventBatch) => {
      lease.held();
      return this.store.fill(events, this.attempts);
    };
    const take = this.parking.guarded({ consumer, isRecordFault: isRefusedRow, handle });
    for (let last = after; last < upTo;) {
      const events = await this.liveLog.read(last, Math.min(READ_EVENTS, upTo - last));
      const inRange = events.filter(({ position }) => position <= upTo);
      if (inRange.length === 0) return;
      const next = inRange[inRange.length - 1].position;
      const missing = inRange.filter(({ position }) => !parked.has(position));
      await take({ source: LOG, first: last + 1, last: next, events: missing }, { check: () => undefined });
      last = next;
    }
  }
}
