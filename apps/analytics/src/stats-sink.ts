import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EventLog, type EventBatch } from '#libs/bus';
import { backoffMs, Log, Shutdown, sleep } from '#libs/kernel';
import { isRefusedRow, StatsStore } from '#libs/stats';
import { GapCheck } from './gap-check.js';
import { SinkProgress } from './sink-progress.js';
import { StoreCheck } from './store-check.js';

const BATCH = 5_000;
/** The source of events that an operator replays, see `libs/bus/src/parking`. */
const PARKED = 'parked';
/** Waits for fuller batches, because an insert costs nearly the same for one event as for a hundred. */
const LINGER_MS = 250;
/** Under load. Statistics are promised to be at most 5 s behind. */
const BURST_LINGER_MS = 2_000;

/**
 * Writes the event log to the statistics store. An outage of the store affects nothing else: the current batch is repeated
 * until it succeeds, and the log keeps the events after it.
 */
@Injectable()
export class StatsSink implements OnApplicationBootstrap {
  private readonly stopping = new AbortController();
  private starting: Promise<void> = Promise.resolve();

  constructor(
    private readonly eventLog: EventLog,
    private readonly store: StatsStore,
    private readonly gaps: GapCheck,
    private readonly check: StoreCheck,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
    private readonly progress: SinkProgress,
  ) {}

  /** Does not wait: a program starts even if the store is unavailable. */
  onApplicationBootstrap(): void {
    this.shutdown.on('work', 'statistics sink', async () => {
      this.stopping.abort();
      await this.starting;
    });
    this.starting = this.start();
  }

  private async start(): Promise<void> {
    if (!(await this.opened())) return;
    // A new store has a new identity, so that it is filled from the start of the log.
    const consumer = `analytics-${this.store.identity}`;
    await this.check.atStart(consumer, this.stopping.signal);
    if (this.stopping.signal.aborted) return;
    await this.eventLog.consume({
      consumer,
      batchSize: BATCH,
      linger: LINGER_MS,
      burstLinger: BURST_LINGER_MS,
      recordBoundaries: true,
      positionsOnly: true,
      isRecordFault: isRefusedRow,
      handle: (batch) => this.handle(batch),
    });
    const { signal } = this.stopping;
    await Promise.all([this.gaps.run(consumer, signal), this.check.run(consumer, signal)]);
  }

  /** False if the process stops before the store could be opened. */
  private async opened(): Promise<boolean> {
    for (let failures = 1; !this.stopping.signal.aborted; failures++) {
      try {
        await this.store.ready();
        this.progress.opened();
        return true;
      } catch (error) {
        const reason = this.progress.failed(error);
        this.log.warn('the statistics store cannot be opened', { reason, failures });
        await sleep(backoffMs(failures), this.stopping.signal);
      }
    }
    return false;
  }

  private async handle(batch: EventBatch): Promise<void> {
    const { source, first, last, events } = batch;
    // An event that was parked is below positions that are stored since.
    if (source === PARKED) return this.store.fill(events, 0);
    const start: number | undefined = events.at(0)?.position;
    if (start !== undefined) this.progress.started(start);
    try {
      // With the position, because the offsets of a Kafka topic that was deleted and made again begin at 0 again.
      await this.store.insert({
        source,
        token: `analytics:${source}:${first}-${last}@${start}`,
        events,
        records: batch,
      });
    } catch (error) {
      this.progress.failed(error);
      throw error;
    }
    this.progress.inserted(events.at(-1)?.position ?? null);
  }
}
