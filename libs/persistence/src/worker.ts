import { newId } from '#libs/contracts';
import type { Config, Log, Program, Shutdown } from '#libs/kernel';
import type { Database } from './database.js';

const HEARTBEAT_MS = 5_000;
/** A worker that was not heard for this long is dead and its claims are free. */
export const WORKER_DEAD_AFTER_S = 20;
/** Before that by a margin, a worker stops believing in its own claims. */
const TRUST_MS = 15_000;

/**
 * This process in the eyes of the others: one row with a heartbeat. Claims carry its id, so they die with it
 * (details §2). Whether a claim is still ours right before a mail is handed over is judged on the monotonic clock since
 * the last confirmed heartbeat, without a query.
 */
export class Worker {
  readonly id = newId('wrk');
  private confirmedAt = -Infinity;
  private lives = 1;
  private timer: NodeJS.Timeout | undefined;
  private registered: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
  ) {}

  /** Writes the row and begins to beat; safe to call from several parts. */
  register(): Promise<void> {
    this.registered ??= this.start();
    return this.registered;
  }

  /** True while others must still respect the claims that we take now. */
  get alive(): boolean {
    return performance.now() - this.confirmedAt < TRUST_MS;
  }

  /** Counts up when we were declared dead: claims of an earlier life are somebody else's, however alive we are now. */
  get life(): number {
    return this.lives;
  }

  /** True while a claim that was taken in `life` is still ours. */
  holds(life: number): boolean {
    return life === this.lives && this.alive;
  }

  private async start(): Promise<void> {
    const askedAt = performance.now();
    await this.database.query('INSERT INTO workers (id, program, home) VALUES ($1, $2, $3)', [
      this.id,
      this.config.program,
      this.config.dataDir,
    ]);
    this.confirmedAt = askedAt;
    this.timer = setInterval(() => void this.beat(), HEARTBEAT_MS);
    this.timer.unref();
    this.shutdown.on('flush', 'worker', () => this.leave());
  }

  /** Says that we live; called by the timer. */
  async beat(): Promise<void> {
    // Measured from before the question: the answer may have been long on its way.
    const askedAt = performance.now();
    try {
      const { rowCount } = await this.database.query('UPDATE workers SET heartbeat_at = now() WHERE id = $1', [
        this.id,
      ]);
      if (rowCount === 1) this.confirmedAt = askedAt;
      else await this.returnFromTheDead();
    } catch (error) {
      this.log.warn('heartbeat failed', { reason: (error as Error).message });
    }
  }

  /** Somebody declared us dead (a frozen process, a long pause): our old claims are gone, new ones may be taken. */
  private async returnFromTheDead(): Promise<void> {
    this.lives += 1;
    this.log.warn('this worker had been declared dead and registers again', { worker: this.id });
    const askedAt = performance.now();
    await this.database.query(
      'INSERT INTO workers (id, program, home) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING',
      [this.id, this.config.program, this.config.dataDir],
    );
    this.confirmedAt = askedAt;
  }

  private async leave(): Promise<void> {
    clearInterval(this.timer);
    await this.database.query('DELETE FROM workers WHERE id = $1', [this.id]);
  }
}

/** How many workers of these programs live, by the database's clock. */
export async function countLivingWorkers(database: Database, programs: readonly Program[]): Promise<number> {
  const { rows } = await database.query<{ count: number }>({
    name: 'workers-living',
    text: `SELECT count(*)::int AS count FROM workers
            WHERE program = ANY($1) AND heartbeat_at > now() - make_interval(secs => $2)`,
    values: [programs, WORKER_DEAD_AFTER_S],
  });
  return rows[0].count;
}

/**
 * Removes workers that were not heard for 20 s and frees what they had claimed in `tables`.
 * With `home`, also those of earlier instances of this data directory: a standalone start knows that they are gone.
 * Returns how many claims were freed.
 */
export async function freeDeadClaims(
  database: Database,
  options: { tables: readonly ('recipients' | 'webhook_deliveries')[]; home?: string; except: string },
): Promise<number> {
  return database.transaction(async (tx) => {
    const dead = await tx.query<{ id: string }>(
      `SELECT id FROM workers
        WHERE (heartbeat_at < now() - make_interval(secs => $1) OR ($2::text IS NOT NULL AND home = $2 AND program IN ('standalone')))
          AND id <> $3 FOR UPDATE SKIP LOCKED`,
      [WORKER_DEAD_AFTER_S, options.home ?? null, options.except],
    );
    await tx.query('DELETE FROM workers WHERE id = ANY($1)', [dead.rows.map((row) => row.id)]);
    let freed = 0;
    for (const table of options.tables) {
      // Every claim without a worker, not only those of the dead found just now: a program that left in good order may
      // have left one behind, and another part may have buried a worker whose other table nobody looked at.
      const claims = await tx.query(
        `UPDATE ${table} SET claimed_by = NULL
          WHERE claimed_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM workers WHERE workers.id = ${table}.claimed_by)`,
      );
      freed += claims.rowCount;
    }
    return freed;
  });
}
