import type { Database, Queryable } from './connection/database.js';
import type { Worker } from './worker.js';

const BEAT_MS = 3_000;
/** Without a heartbeat for so many seconds, a lease is free. */
const EXPIRES_S = 12;
/** The owner stops earlier, by its own monotonic clock. */
const TRUST_MS = 9_000;

/** The condition that lease row `l` is free or already belongs to worker $2; a heartbeat of the future is no heartbeat. */
const IS_FREE = `(l.owner IS NULL OR l.owner = $2
  OR l.heartbeat_at NOT BETWEEN now() - interval '${EXPIRES_S} s' AND now() + interval '${EXPIRES_S} s'
  OR NOT EXISTS (SELECT FROM workers WHERE workers.id = l.owner))`;

/** The current holder, to be compared by each write that only the holder may make. */
export interface LeaseHolder {
  name: string;
  owner: string;
  fence: number;
}

/**
 * The exclusive right of this process to do one thing: a row with owner, fence and heartbeat, by the clock of the
 * database. A process that is frozen or dead loses it after 12 s. Its late writes change nothing, because each
 * compares the fence, which increases with every change of the owner.
 */
export class Lease {
  private fence: number | null = null;
  /** Of `performance.now()`, before the last confirmed heartbeat. */
  private confirmedAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly worker: Pick<Worker, 'id' | 'register'>,
    private readonly name: string,
  ) {}

  /** Whether a living process holds one of these leases. */
  static async isAnyHeld(db: Queryable, names: readonly string[]): Promise<boolean> {
    const { rows } = await db.query<{ held: boolean }>(
      `SELECT EXISTS (
         SELECT FROM leases l JOIN workers ON workers.id = l.owner
          WHERE l.name = ANY($1)
            AND l.heartbeat_at BETWEEN now() - interval '${EXPIRES_S} s' AND now() + interval '${EXPIRES_S} s') AS held`,
      [names],
    );
    return rows[0].held;
  }

  /** False while another process holds the lease. */
  async take(): Promise<boolean> {
    // Without the row of its worker, a lease is free.
    await this.worker.register();
    const startedAt = performance.now();
    const { rows } = await this.database.query<{ fence: string }>({
      name: 'lease-take',
      text: `WITH taken AS (
               UPDATE leases l SET owner = $2, fence = l.fence + 1, heartbeat_at = now() WHERE l.name = $1 AND ${IS_FREE}
               RETURNING fence),
             made AS (
               INSERT INTO leases (name, owner) SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM leases WHERE name = $1)
               ON CONFLICT DO NOTHING RETURNING fence)
             SELECT fence FROM taken UNION ALL SELECT fence FROM made`,
      values: [this.name, this.worker.id],
    });
    if (rows.length === 0) return false;
    this.fence = Number(rows[0].fence);
    this.confirmedAt = startedAt;
    this.timer ??= setInterval(() => void this.beat(), BEAT_MS);
    return true;
  }

  /** The holder of the lease. @throws if it is lost, or if other processes may regard it as expired */
  held(): LeaseHolder {
    if (this.fence === null) throw new Error(`the lease of ${this.name} was taken over by another process`);
    if (performance.now() - this.confirmedAt > TRUST_MS)
      throw new Error(`the lease of ${this.name} could not be renewed for ${TRUST_MS / 1_000} s`);
    return { name: this.name, owner: this.worker.id, fence: this.fence };
  }

  get isHeld(): boolean {
    return this.fence !== null;
  }

  /** Lets other processes take the lease at once; without the database they take it when it has expired. */
  async release(): Promise<void> {
    clearInterval(this.timer);
    this.timer = undefined;
    const { fence } = this;
    this.fence = null;
    if (fence === null) return;
    await this.database
      .query('UPDATE leases SET owner = NULL WHERE name = $1 AND owner = $2 AND fence = $3', [
        this.name,
        this.worker.id,
        fence,
      ])
      .catch(() => undefined);
  }

  private async beat(): Promise<void> {
    const { fence } = this;
    const startedAt = performance.now();
    if (fence === null) return;
    try {
      const { rowCount } = await this.database.query({
        name: 'lease-beat',
        text: `UPDATE leases SET heartbeat_at = now() WHERE name = $1 AND owner = $2 AND fence = $3
               RETURNING set_config('synchronous_commit', 'off', true)`,
        values: [this.name, this.worker.id, fence],
      });
      if (this.fence !== fence) return;
      if (rowCount === 1) this.confirmedAt = startedAt;
      else this.fence = null;
    } catch {
      // `held` throws when no heartbeat has succeeded for too long.
    }
  }
}
