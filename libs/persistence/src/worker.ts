import { newId } from '#libs/contracts';
import { SecretBox, type Config, type Log, type Program, type Shutdown } from '#libs/kernel';
import type { Database } from './connection/database.js';

const HEARTBEAT_MS = 5_000;
/** Seconds without a heartbeat after which a worker is dead and its claims are released. */
export const WORKER_DEAD_AFTER_S = 20;
/** A worker stops trusting its own claims before others release them. */
const TRUST_MS = 15_000;

/** Tables whose rows are claimed by a worker. */
const CLAIMED_TABLES = ['recipients', 'webhook_deliveries'] as const;

const INSERT = `
  INSERT INTO workers (id, program, data_dir, master_keys) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`;

interface OtherWorker {
  id: string;
  /** The time of its last heartbeat as text, to the microsecond. */
  beat: string;
  isOld: boolean;
  /** It used the data directory that this process now uses alone. */
  hasEnded: boolean;
}

/**
 * This process as a row with a heartbeat. Claims carry its id and are released when it dies. Before a message is handed
 * over, `holds` tells whether its claim is still valid from the monotonic clock since the last confirmed heartbeat,
 * without a query.
 */
export class Worker {
  readonly id = newId('wrk');
  private confirmedAt = -Infinity;
  private registrations = 1;
  private timer: NodeJS.Timeout | undefined;
  private registered: Promise<void> | undefined;
  /** The last heartbeats of other workers, and the time of `performance.now()` at which each was first seen. */
  private seen = new Map<string, { beat: string; at: number; isFirst: boolean }>();
  /** The times of `performance.now()` at which the claiming statements in progress began, in that order. */
  private readonly claiming = new Set<{ at: number }>();

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
  ) {}

  /** The number of living workers of these programs, by the clock of the database. */
  static async countAlive(database: Database, programs: readonly Program[]): Promise<number> {
    const { rows } = await database.query<{ count: number }>({
      name: 'workers-alive',
      text: `SELECT count(*)::int AS count FROM workers
              WHERE program = ANY($1) AND heartbeat_at > now() - make_interval(secs => $2)`,
      values: [programs, WORKER_DEAD_AFTER_S],
    });
    return rows[0].count;
  }

  /** Inserts the row and starts the heartbeat; may be called several times, and again after a failure. */
  register(): Promise<void> {
    this.registered ??= this.start().catch((error: unknown) => {
      this.registered = undefined;
      throw error;
    });
    return this.registered;
  }

  /** Runs `claim`, which claims rows for this worker and passes them on as jobs. */
  async claim<T>(claim: () => Promise<T>): Promise<T> {
    const end = this.startClaim();
    try {
      return await claim();
    } finally {
      end();
    }
  }

  /** The same for a claim that does not end where it begins; the result ends it. */
  startClaim(): () => void {
    const started = { at: performance.now() };
    this.claiming.add(started);
    return () => this.claiming.delete(started);
  }

  /** The time of `performance.now()` at which the oldest `claim` in progress began; Infinity without one. */
  get claimingSince(): number {
    const [oldest] = this.claiming;
    return oldest?.at ?? Infinity;
  }

  /** True while other workers respect new claims of this one. */
  get isAlive(): boolean {
    return performance.now() - this.confirmedAt < TRUST_MS;
  }

  /** Increases when this worker registers again after it was declared dead: its earlier claims were released. */
  get epoch(): number {
    return this.registrations;
  }

  /** True while a claim of this epoch is valid. */
  holds(epoch: number): boolean {
    return epoch === this.registrations && this.isAlive;
  }

  /** Renews the heartbeat; called by the timer. */
  async beat(): Promise<void> {
    // Taken before the query: the response may arrive much later than the update.
    const startedAt = performance.now();
    try {
      const { rowCount } = await this.database.query('UPDATE workers SET heartbeat_at = now() WHERE id = $1', [
        this.id,
      ]);
      if (rowCount === 1) this.confirmedAt = startedAt;
      else await this.registerAgain();
    } catch (error) {
      this.log.warn('heartbeat failed', { reason: (error as Error).message });
    }
  }

  /**
   * Deletes workers without a heartbeat and releases the claims whose worker has no row. With `earlierRuns`, a standalone
   * program also deletes the standalone workers of its data directory: only one program at a time may use it.
   * @returns the number of released claims
   */
  async releaseDeadClaims({ earlierRuns = false } = {}): Promise<number> {
    return this.database.transaction(async (tx) => {
      const others = await tx.query<OtherWorker>(
        `SELECT id, heartbeat_at::text AS beat, heartbeat_at < now() - make_interval(secs => $1) AS "isOld",
                $2::text IS NOT NULL AND data_dir = $2 AND program = 'standalone' AS "hasEnded"
           FROM workers WHERE id <> $3`,
        [
          WORKER_DEAD_AFTER_S,
          earlierRuns && this.config.program === 'standalone' ? this.config.dataDir : null,
          this.id,
        ],
      );
      const dead = this.deadAmong(others.rows);
      // A heartbeat in the meantime keeps its worker.
      await tx.query(
        `DELETE FROM workers w USING unnest($1::text[], $2::timestamptz[]) AS dead (id, beat)
          WHERE w.id = dead.id AND w.heartbeat_at = dead.beat`,
        [dead.map(({ id }) => id), dead.map(({ beat }) => beat)],
      );
      let released = 0;
      for (const table of CLAIMED_TABLES) {
        // Every claim without a worker: a program may leave a claim behind when it stops, and another program may have
        // deleted a worker without releasing the claims of this table.
        const claims = await tx.query(
          `UPDATE ${table} SET claimed_by = NULL
            WHERE claimed_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM workers WHERE workers.id = ${table}.claimed_by)`,
        );
        released += claims.rowCount;
      }
      return released;
    });
  }

  /**
   * Workers whose heartbeat has not changed for 20 s by the monotonic clock of this process, so that a database clock that
   * is set kills nobody and spares nobody. At the first look at a worker, the clock of the database decides.
   */
  private deadAmong(others: readonly OtherWorker[]): OtherWorker[] {
    const now = performance.now();
    const before = this.seen;
    this.seen = new Map(
      others.map(({ id, beat }) => {
        const last = before.get(id);
        return [id, last?.beat === beat ? last : { beat, at: now, isFirst: last === undefined }];
      }),
    );
    return others.filter(({ id, isOld, hasEnded }) => {
      const { at = now, isFirst = false } = this.seen.get(id) ?? {};
      return hasEnded || (isFirst && isOld) || now - at > WORKER_DEAD_AFTER_S * 1_000;
    });
  }

  private async start(): Promise<void> {
    const startedAt = performance.now();
    // An earlier attempt may have been committed although its answer was lost.
    await this.database.query(INSERT, this.row());
    this.confirmedAt = startedAt;
    this.timer = setInterval(() => void this.beat(), HEARTBEAT_MS);
    this.timer.unref();
    this.shutdown.on('flush', 'worker', () => this.unregister());
  }

  /** After a long pause of the process, others have released its claims; new ones can be taken. */
  private async registerAgain(): Promise<void> {
    this.registrations += 1;
    this.log.warn('this worker had been declared dead and registers again', { worker: this.id });
    const startedAt = performance.now();
    await this.database.query(INSERT, this.row());
    this.confirmedAt = startedAt;
  }

  private row(): unknown[] {
    const { settings, earlierMasterKeys, program, dataDir } = this.config;
    const keys = settings.MASTER_KEY === undefined ? [] : [settings.MASTER_KEY, ...earlierMasterKeys];
    return [this.id, program, dataDir, keys.map((key) => SecretBox.checkOf(key))];
  }

  private async unregister(): Promise<void> {
    clearInterval(this.timer);
    await this.database.query('DELETE FROM workers WHERE id = $1', [this.id]);
  }
}
