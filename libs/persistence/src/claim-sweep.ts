import type { Log } from '#libs/kernel';
import type { Worker } from './worker.js';

const SWEEP_MS = 5_000;

/** A claim of this worker as the database has it. `key` names the row and its fence, so that the next claim differs. */
export interface StoredClaim {
  key: string;
}

export interface ClaimSweepOptions<C extends StoredClaim> {
  /** For the log: what is claimed. */
  name: string;
  /** The claims of this worker in the database. */
  stored: () => Promise<C[]>;
  /** The keys of the claims that a job of this process holds. */
  held: () => Iterable<string>;
  /** Releases claims without an attempt, except those whose fence has changed. */
  release: (claims: C[]) => Promise<void>;
  /** Called after claims were released: they are due. */
  onReleased: () => void;
}

/**
 * Releases claims that nobody works on: those of dead workers, and those of this worker without a job. The latter remain
 * when a claiming statement was committed but its answer was lost with the connection.
 */
export class ClaimSweep<C extends StoredClaim> {
  private orphanedBefore = new Set<string>();
  /** Of `performance.now()`. */
  private sweptAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: ClaimSweepOptions<C>,
    private readonly worker: Worker,
    private readonly log: Log,
  ) {}

  /** Registers the worker, releases the claims of earlier standalone processes on this data directory, and goes on. */
  async start(): Promise<void> {
    await this.worker.register();
    await this.sweep({ atStart: true });
    clearInterval(this.timer); // a start that failed later is repeated
    this.timer = setInterval(() => void this.sweep(), SWEEP_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** One round; a failure is logged, and the next round does its work. */
  async sweep({ atStart = false } = {}): Promise<void> {
    const { name, onReleased } = this.options;
    try {
      const dead = await this.worker.releaseDeadClaims({ earlierRuns: atStart });
      const orphaned = await this.releaseOrphaned();
      if (dead > 0) this.log.info('released the claims of dead workers', { claims: dead });
      if (orphaned > 0) this.log.warn('released claims of this worker without a job', { of: name, claims: orphaned });
      if (dead + orphaned > 0) onReleased();
    } catch (error) {
      this.log.warn('releasing claims failed', { of: name, reason: (error as Error).message });
    }
  }

  /**
   * Only claims that were orphaned in the previous round too: right after its claim, a job may not be held yet. None while
   * a claiming statement from before that round is unanswered, because its jobs may still come. Returns the number.
   */
  private async releaseOrphaned(): Promise<number> {
    const stored = await this.options.stored();
    if (this.worker.claimingSince < this.sweptAt) return 0;
    this.sweptAt = performance.now();
    const held = new Set(this.options.held());
    const orphaned = stored.filter(({ key }) => !held.has(key));
    const again = orphaned.filter(({ key }) => this.orphanedBefore.has(key));
    this.orphanedBefore = new Set(orphaned.map(({ key }) => key));
    if (again.length > 0) await this.options.release(again);
    return again.length;
  }
}
