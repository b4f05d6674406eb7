import { Injectable } from '@nestjs/common';
import type { LoggedEvent } from '#libs/contracts';
import { backoffMs, Log, Shutdown, sleep, WakeSignal } from '#libs/kernel';
import { LiveLog } from './live-log.js';

/** Takes each batch of new events, in the order of the log. Must not change the events and must not throw. */
export type TailListener = (events: readonly LoggedEvent[]) => void;

export interface FollowedTail {
  /** The listener receives every event above this position, and none up to it. */
  position: number;
  stop(): void;
}

const BATCH = 2_000;
/** Notifications are hints. */
const POLL_MS = 1_000;

/**
 * The newest events for all live readers of this process: one statement per batch, whatever the number of readers, and none
 * while there are no readers. Always reads the PostgreSQL log. After an outage of the database it continues where it was.
 */
@Injectable()
export class LogTail {
  private readonly listeners = new Set<TailListener>();
  /** Listeners, and those to be. */
  private readers = 0;
  private readonly signal = new WakeSignal();
  private readonly stopping = new AbortController();
  private starting: Promise<void> | undefined;
  private running: Promise<void> | undefined;
  private position = 0;

  constructor(
    private readonly liveLog: LiveLog,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.on('work', 'log tail', async () => {
      this.stopping.abort();
      this.signal.notify();
      await this.running;
    });
  }

  /** @throws the error of the database if the tail does not run yet and the position cannot be read */
  async follow(listener: TailListener): Promise<FollowedTail> {
    // Before the await, so that the tail does not end meanwhile.
    this.readers += 1;
    try {
      await this.start();
    } catch (error) {
      this.readers -= 1;
      throw error;
    }
    this.listeners.add(listener);
    return { position: this.position, stop: () => this.leave(listener) };
  }

  private leave(listener: TailListener): void {
    if (!this.listeners.delete(listener)) return;
    this.readers -= 1;
    this.signal.notify();
  }

  private async start(): Promise<void> {
    if (this.running) return;
    this.starting ??= this.readHead().finally(() => {
      this.starting = undefined;
    });
    await this.starting;
  }

  private async readHead(): Promise<void> {
    this.position = await this.liveLog.head();
    this.running = this.run();
  }

  private async run(): Promise<void> {
    const unsubscribe = this.liveLog.onNewEvents(() => this.signal.notify());
    let failures = 0;
    while (this.readers > 0 && !this.stopping.signal.aborted) {
      try {
        const isFull = await this.next();
        failures = 0;
        if (!isFull) await this.signal.wait(POLL_MS);
      } catch (error) {
        failures += 1;
        this.log.warn('live streams cannot read the event log', { reason: (error as Error).message, failures });
        await sleep(backoffMs(failures), this.stopping.signal);
      }
    }
    unsubscribe();
    this.running = undefined;
  }

  private async next(): Promise<boolean> {
    const events = await this.liveLog.read(this.position, BATCH);
    if (events.length === 0) return false;
    this.position = events[events.length - 1].position;
    for (const listener of this.listeners) listener(events);
    return events.length === BATCH;
  }
}
