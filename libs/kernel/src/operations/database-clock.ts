import { setIdClock } from '#libs/contracts';

/** A difference of clocks that is no drift. */
const JUMP_MS = 1_000;

/** Milliseconds on a clock that never goes back and that nobody sets. */
const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** By how many milliseconds each clock jumped between two readings; 0: it did not. */
export interface ClockJump {
  databaseMs: number;
  systemMs: number;
}

/** The clock was set back. In milliseconds since 1970. */
export interface ClockStep {
  /** Ids and positions that were made since are of times up to this one: they never go back. */
  aheadUntil: number;
  setBackTo: number;
}
/** A step is noticed within this time. */
const STEP_SLACK_MS = 120_000;

/** The time of a clock minus the monotonic time, within these bounds. */
interface Offset {
  low: number;
  high: number;
}

/**
 * The time of the database server, which decides what is due, scheduled or expired: the clocks of several machines
 * differ, and a clock that is set must not delay messages or send them early. Between two readings the time follows the
 * monotonic clock of this process. It is never ahead of the server, so that what is due now is due there as well, and
 * behind by no more than the fastest answer took. Before the first reading it is the time of the system.
 */
export class DatabaseClock {
  private server: Offset | null = null;
  private systemOffset = 0;
  private steps: readonly ClockStep[] = [];

  /** Milliseconds since 1970, like `Date.now()`. */
  now(): number {
    return this.server === null ? Date.now() : Math.floor(monotonicMs() + this.server.low);
  }

  date(): Date {
    return new Date(this.now());
  }

  /** This time, or the current one if it has passed or is null. */
  notBefore(time: Date | null): Date {
    return time !== null && time.getTime() > this.now() ? time : this.date();
  }

  /** The steps back of the past, of which the database has a record. */
  setSteps(steps: readonly ClockStep[]): void {
    this.steps = steps;
  }

  /**
   * The latest time in the id or position of a row that was made before `time`. It is a later one if the clock was set back
   * shortly before, because ids and positions stay ahead until the clock has caught up.
   */
  latestOf(time: Date): Date {
    const ms = time.getTime();
    const ahead = this.steps
      .filter(({ aheadUntil, setBackTo }) => setBackTo - STEP_SLACK_MS <= ms && ms < aheadUntil)
      .map(({ aheadUntil }) => aheadUntil);
    return new Date(Math.max(ms, ...ahead));
  }

  /**
   * Takes over the time that `read` returns, in milliseconds since 1970.
   * @returns the jump of a clock since the last reading, or null
   */
  async synchronise(read: () => Promise<number>): Promise<ClockJump | null> {
    const sentAt = monotonicMs();
    const serverMs = await read();
    const receivedAt = monotonicMs();
    const reading = { low: serverMs - receivedAt, high: serverMs - sentAt };
    const systemOffset = Date.now() - monotonicMs();
    const before = this.server;
    const systemMs = before === null ? 0 : jumpOf(systemOffset - this.systemOffset);
    this.systemOffset = systemOffset;
    if (before === null) {
      this.server = reading;
      return null;
    }
    const common = { low: Math.max(before.low, reading.low), high: Math.min(before.high, reading.high) };
    // Readings that contradict each other: the clock drifted, or it was set.
    this.server = common.low <= common.high ? common : reading;
    const databaseMs =
      common.low <= common.high
        ? 0
        : jumpOf(reading.low > before.high ? reading.low - before.high : reading.high - before.low);
    return databaseMs === 0 && systemMs === 0 ? null : { databaseMs, systemMs };
  }
}

const jumpOf = (ms: number): number => (Math.abs(ms) > JUMP_MS ? Math.round(ms) : 0);

/** The clock of this process, as `Date` is: rules and rows use it wherever a time is compared with one of the database. */
export const databaseClock = new DatabaseClock();

// An id and the row that it names have the same time, also where the clock of the system is wrong.
setIdClock(() => databaseClock.now());
