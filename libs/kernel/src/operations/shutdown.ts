import { withTimeout } from '../concurrency/timeout.js';
import type { Log } from '../logging/log.js';

/** In this order: accept nothing new, finish running work, write buffers, close the stores, stop the engines. */
export const SHUTDOWN_STAGES = ['intake', 'work', 'flush', 'store', 'engine'] as const;
export type ShutdownStage = (typeof SHUTDOWN_STAGES)[number];

const DEADLINE_MS = 9_500;
const WORK_MS = 8_000;

/** Ctrl-C reaches a program twice when npm passes it on as well; a person presses it again later than this. */
const SAME_INTERRUPT_MS = 1_000;

/**
 * Ends a process in order. Stages run one after another, the parts of a stage concurrently. The total time is limited to
 * 10 seconds: a part that hangs is logged and abandoned. A second SIGTERM changes nothing: supervisors and npm repeat it. A
 * second Ctrl-C ends the process immediately, which loses nothing because everything accepted is on disk.
 */
export class Shutdown {
  private readonly parts = new Map<ShutdownStage, { name: string; stop: () => Promise<void> | void }[]>();
  private running: Promise<void> | undefined;
  /** By `performance.now()`. */
  private signalledAt: number | undefined;

  constructor(private readonly log: Log) {}

  /** True after the first signal: `/readyz` fails, and loops start no new work. */
  get begun(): boolean {
    return this.running !== undefined;
  }

  on(stage: ShutdownStage, name: string, stop: () => Promise<void> | void): void {
    const parts = this.parts.get(stage) ?? [];
    parts.push({ name, stop });
    this.parts.set(stage, parts);
  }

  /** Ends the process on SIGTERM and SIGINT with code 0 once all parts have stopped; on a second SIGINT at once with 1. */
  listen(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.stopOn(signal));
  }

  private stopOn(signal: 'SIGTERM' | 'SIGINT'): void {
    const now = performance.now();
    if (this.signalledAt === undefined) {
      this.signalledAt = now;
      this.log.info('stopping', { signal });
      void this.run().then(() => process.exit(0));
    } else if (signal === 'SIGINT' && now - this.signalledAt > SAME_INTERRUPT_MS) process.exit(1);
  }

  run(): Promise<void> {
    this.running ??= this.runStages();
    return this.running;
  }

  private async runStages(): Promise<void> {
    const started = performance.now();
    for (const stage of SHUTDOWN_STAGES) {
      const left = (stage === 'intake' || stage === 'work' ? WORK_MS : DEADLINE_MS) - (performance.now() - started);
      await Promise.all((this.parts.get(stage) ?? []).map((part) => this.stopPart(part, Math.max(left, 250))));
    }
  }

  private async stopPart(part: { name: string; stop: () => Promise<void> | void }, deadlineMs: number): Promise<void> {
    try {
      await withTimeout(part.stop(), deadlineMs, () => this.log.warn('part did not stop in time', { part: part.name }));
    } catch (error) {
      this.log.error('part failed to stop', error, { part: part.name });
    }
  }
}
