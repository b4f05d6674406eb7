import { Injectable } from '@nestjs/common';
import { Log, Shutdown, Wakeups } from '#libs/kernel';
import { Database, Worker } from '#libs/persistence';
import { backOff, pause } from '../back-off.js';

/** PostgreSQL channel that is notified after each move; the payload is the worker id of the mover. */
export const LOG_CHANNEL = 'postloft_log';

/**
 * The one listening connection of this process: a move of another process rings `log` here. A hint only, every reader
 * also polls. Moves of our own sequencer have rung already and are ignored.
 */
@Injectable()
export class LogListener {
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly wakeups: Wakeups,
    private readonly worker: Worker,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
  ) {}

  /** Safe to call from every reader; connects once. */
  start(): void {
    if (this.loop) return;
    this.loop = this.run();
    this.shutdown.on('flush', 'log listener', async () => {
      this.stopping.abort();
      await this.loop;
    });
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.stopping.signal.aborted) {
      try {
        await this.listen(() => (failures = 0));
      } catch (error) {
        failures += 1;
        this.log.warn('log listener: connection lost', { reason: (error as Error).message, failures });
        await pause(backOff(failures), this.stopping.signal);
      }
    }
  }

  /** Listens until the connection breaks (rejects) or the process stops (resolves). */
  private async listen(connected: () => void): Promise<void> {
    const session = await this.database.session();
    try {
      const ended = new Promise<void>((resolve, reject) => {
        session.client.on('error', reject);
        session.client.on('end', () => reject(new Error('the connection was closed')));
        this.stopping.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      ended.catch(() => undefined);
      session.client.on('notification', ({ payload }) => {
        if (payload !== this.worker.id) this.wakeups.ring('log');
      });
      await session.query(`LISTEN ${LOG_CHANNEL}`);
      connected();
      // What was moved while nobody listened.
      this.wakeups.ring('log');
      if (!this.stopping.signal.aborted) await ended;
    } finally {
      session.release();
    }
  }
}
