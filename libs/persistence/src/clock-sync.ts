import { databaseClock, type Log, type Shutdown } from '#libs/kernel';
import type { DataSource } from 'typeorm';

const EVERY_MS = 10_000;
/** The fastest of them counts. The first one also opens a connection. */
const FIRST_READINGS = 3;

/** Keeps `databaseClock` at the time of the server, and logs each jump of a clock once. */
export class ClockSync {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
  ) {}

  /** Resolves after the first readings; a failed one is made up for by the next. */
  async start(): Promise<void> {
    for (let i = 0; i < FIRST_READINGS; i++) await this.synchronise();
    this.timer = setInterval(() => void this.synchronise(), EVERY_MS);
    this.timer.unref();
    this.shutdown.on('store', 'clock', () => clearInterval(this.timer));
  }

  async synchronise(): Promise<void> {
    try {
      const jump = await databaseClock.synchronise(() => serverTime(this.dataSource));
      if (jump === null) return;
      this.log.warn('a clock was set', { databaseJumpMs: jump.databaseMs, systemJumpMs: jump.systemMs });
    } catch (error) {
      this.log.debug('the time of the database cannot be read', { reason: (error as Error).message });
    }
  }
}

async function serverTime(dataSource: DataSource): Promise<number> {
  const [{ ms }] = await dataSource.query<{ ms: number }[]>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
  );
  return ms;
}
