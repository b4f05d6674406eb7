import { Injectable } from '@nestjs/common';
import { backoffMs, LocalNotifications, Log, Shutdown, sleep } from '#libs/kernel';
import { Database, Worker } from '#libs/persistence';

/** The PostgreSQL channel that the sequencer notifies; the payload is the id of its worker. */
export const LOG_CHANNEL = 'postloft_log';

/**
 * The connection of this process that listens for new events of other processes, and notifies the topic `log`. A hint only:
 * every reader also polls. Notifications of our own sequencer are ignored, because it notifies the topic itself.
 */
@Injectable()
export class LogListener {
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly notifications: LocalNotifications,
    private readonly worker: Worker,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
  ) {}

  /** Connects at the first call. */
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
        await sleep(backoffMs(failures), this.stopping.signal);
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
        if (payload !== this.worker.id) this.notifications.notify('log');
      });
      await session.query(`LISTEN ${LOG_CHANNEL}`);
      connected();
      // Events may have been added before.
      this.notifications.notify('log');
      if (!this.stopping.signal.aborted) await ended;
    } finally {
      session.release();
    }
  }
}
