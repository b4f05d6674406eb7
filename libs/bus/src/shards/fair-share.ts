import type { Program } from '#libs/kernel';
import { Worker, type Database } from '#libs/persistence';

const REFRESH_MS = 2_000;

/** Which programs do the work. */
export interface Doers {
  programs: readonly Program[];
  /** Programs that do it while none of the others runs. */
  otherwise?: readonly Program[];
}

/**
 * How many shards this process may have: those of a consumer are divided equally among the living processes that do the
 * work. A process with too many releases them, and they are taken by others.
 */
export class FairShare {
  private allowed = 0;
  private held = 0;
  private refreshedAt = -Infinity;

  constructor(
    private readonly parts: {
      database: Database;
      worker: Pick<Worker, 'register'>;
      program: Program;
      doers: Doers;
      shards: number;
    },
  ) {}

  /** Whether this process may take another shard. @throws if the database does not answer */
  async mayTake(): Promise<boolean> {
    await this.refresh();
    return this.held < this.allowed;
  }

  taken(): void {
    this.held += 1;
  }

  released(): void {
    this.held -= 1;
  }

  /** Whether this process must release a shard; then it counts as released. */
  async mustRelease(): Promise<boolean> {
    await this.refresh();
    if (this.held <= this.allowed) return false;
    this.held -= 1;
    return true;
  }

  private async refresh(): Promise<void> {
    const now = performance.now();
    if (now - this.refreshedAt < REFRESH_MS) return;
    const { database, worker, shards } = this.parts;
    this.refreshedAt = now;
    await worker.register();
    const processes = await this.countProcesses(database);
    this.allowed = processes === 0 ? 0 : Math.ceil(shards / processes);
  }

  /** Living processes that do the work as this one does; 0 if this one does not at the moment. */
  private async countProcesses(database: Database): Promise<number> {
    const { program, doers } = this.parts;
    const first = await Worker.countAlive(database, doers.programs);
    if (doers.programs.includes(program)) return Math.max(1, first);
    if (first > 0) return 0;
    const { otherwise = [] } = doers;
    return otherwise.includes(program) ? Math.max(1, await Worker.countAlive(database, otherwise)) : 0;
  }
}
