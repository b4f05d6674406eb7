import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { EventLog, LiveLog, type EventBatch } from '#libs/bus';
import { Config, Health, Log, Metrics, Shutdown } from '#libs/kernel';
import { StatsStore } from '#libs/stats';
import { Gauge } from 'prom-client';

const BATCH = 5_000;
/** Gathers fuller batches, because an insert costs nearly the same for one event as for a hundred. */
const LINGER_MS = 250;
/** Under load: what is counted is promised to be at most 5 s behind. */
const CROWD_LINGER_MS = 2_000;
const OPEN_AGAIN_MS = [250, 500, 1_000, 2_000, 5_000];

/**
 * The event log into the statistics store. An outage of the store holds up nobody: the log waits, the batch in hand is
 * repeated, and counting goes on where it stopped.
 */
@Injectable()
export class StatsSink implements OnApplicationBootstrap {
  private readonly stopping = new AbortController();
  private starting: Promise<void> = Promise.resolve();
  /** The newest event that is stored; undefined until this process has had an event in hand. */
  private stored: number | undefined;
  private trouble: string | null = null;

  constructor(
    private readonly eventLog: EventLog,
    private readonly liveLog: LiveLog,
    private readonly store: StatsStore,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
    { program }: Config,
    health: Health,
    metrics: Metrics,
  ) {
    // Only the program that does nothing else is unready without the store: mail is accepted and delivered all the same.
    if (program === 'analytics') health.register('statistics', () => this.trouble);
    const lag = () => this.lag();
    new Gauge({
      name: 'postloft_sink_lag_events',
      help: 'Events in the log that are newer than the newest one in statistics. Absent before the first event.',
      registers: [metrics.registry],
      async collect() {
        const events = await lag();
        if (events === undefined) this.remove();
        else this.set(events);
      },
    });
  }

  /** Returns at once: a program starts whether the store answers or not. */
  onApplicationBootstrap(): void {
    this.shutdown.on('work', 'statistics sink', async () => {
      this.stopping.abort();
      await this.starting;
    });
    this.starting = this.start();
  }

  private async start(): Promise<void> {
    if (!(await this.opened())) return;
    await this.eventLog.consume({
      // A store that was lost and begun anew has another identity, and so is filled from the start of the log.
      consumer: `analytics-${this.store.identity}`,
      batchSize: BATCH,
      linger: LINGER_MS,
      crowdLinger: CROWD_LINGER_MS,
      recordBoundaries: true,
      handle: (batch) => this.handle(batch),
    });
  }

  /** False when the process stops before the store could be opened. */
  private async opened(): Promise<boolean> {
    for (let failures = 0; !this.stopping.signal.aborted; failures++) {
      try {
        await this.store.ready();
        this.trouble = null;
        return true;
      } catch (error) {
        this.failed(error);
        this.log.warn('the statistics store cannot be opened', { reason: this.trouble, failures: failures + 1 });
        const wait = OPEN_AGAIN_MS[Math.min(failures, OPEN_AGAIN_MS.length - 1)];
        await pause(wait, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
    return false;
  }

  private async handle({ source, first, last, events }: EventBatch): Promise<void> {
    if (events.length === 0) return;
    this.stored ??= events[0].position - 1;
    try {
      await this.store.insert({ token: `analytics:${source}:${first}-${last}`, events });
    } catch (error) {
      this.failed(error);
      throw error;
    }
    this.trouble = null;
    this.stored = Math.max(this.stored, events[events.length - 1].position);
  }

  private failed(error: unknown): void {
    this.trouble = (error as Error).message.split('\n', 1)[0] || 'the statistics store does not answer';
  }

  private async lag(): Promise<number | undefined> {
    if (this.stored === undefined) return undefined;
    const head = await this.liveLog.head().catch(() => undefined);
    return head === undefined ? undefined : Math.max(0, head - this.stored);
  }
}
