import { databaseClock, type Log, type Metrics } from '#libs/kernel';
import { Gauge } from 'prom-client';
import type { ClockRecord } from '../clock-record.js';

/**
 * Stands before everything that deletes data because its time is over: a clock that is set ahead by mistake must not delete it.
 * See docs/retention.md.
 */
export class RetentionGuard {
  private isLogged = false;

  constructor(
    private readonly clock: ClockRecord,
    private readonly log: Log,
    { registry }: Metrics,
  ) {
    const isPaused = () => this.clock.suspicion(databaseClock.now()).then((found) => found !== null);
    new Gauge({
      name: 'postloft_retention_paused',
      help: '1 while nothing expires, because the clock of the database is more than a day ahead of the last time that a program saw.',
      registers: [registry],
      async collect() {
        const paused = await isPaused().catch(() => undefined);
        if (paused === undefined) this.remove();
        else this.set(paused ? 1 : 0);
      },
    });
  }

  /** Logs the first refusal in a row. @throws while the database is unavailable: nothing expires then either */
  async mayExpire(now: number): Promise<boolean> {
    const found = await this.clock.suspicion(now);
    if (found !== null && !this.isLogged)
      this.log.warn(
        'retention is paused: the clock is ahead of the last time that the service saw; see docs/retention.md',
        {
          present: found.present,
          lastSeen: found.lastTrusted,
          goesOnAt: found.trustedFrom,
          confirm: 'npm run -s cli -- retention confirm',
        },
      );
    if (found === null && this.isLogged) this.log.info('retention goes on');
    this.isLogged = found !== null;
    return found === null;
  }
}
