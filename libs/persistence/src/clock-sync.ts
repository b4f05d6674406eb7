import { databaseClock, type Log, type Shutdown } from '#libs/kernel';
import type { DataSource } from 'typeorm';
import { ClockRecord } from './clock-record.js';
import { Database } from './connection/database.js';

const EVERY_MS = 10_000;
/** The fastest of them counts. The first one also opens a connection. */
const FIRST_READINGS = 3;

/** Keeps `databaseClock` at the time of the server, logs each jump of a clock once, and records what the clock shows. */
export class ClockSync {
  private timer: NodeJS.Timeout | undefined;
  private readonly record: ClockRecord;

  constructor(
    private readonly dataSource: DataSource,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
  ) {
    this.record = new ClockRecord(new Database(dataSource));
  }

  /** Resolves after the first readings; a failed one is made up for by the next. */
  async start(): Promise<void> {
    for (let i = 0; i < FIRST_READINGS; i++) await this.synchronise();
    await this.keepRecord();
    this.timer = setInterval(() => void this.tick(), EVERY_MS);
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

  /** Records the present, and takes over the steps back that any program has recorded. */
  async keepRecord(): Promise<void> {
    try {
      if (await this.record.note(await serverTime(this.dataSource)))
        this.log.warn('the clock of the database was set back; lists by time include what it had ahead');
      databaseClock.setSteps(await this.record.steps());
    } catch (error) {
      this.log.debug('the clock cannot be recorded', { reason: (error as Error).message });
    }
  }

  private async tick(): Promise<void> {
    await this.synchronise();
    await this.keepRecord();
  }
}

async function serverTime(dataSource: DataSource): Promise<number> {
  const [{ ms }] = await dataSource.query<{ ms: number }[]>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
  );
  return ms;
}
