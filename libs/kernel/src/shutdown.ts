import type { Log } from './log.js';

/** In this order: stop taking, finish what runs, write down, close the stores, end the engines. */
export const SHUTDOWN_STAGES = ['intake', 'work', 'flush', 'store', 'engine'] as const;
export type ShutdownStage = (typeof SHUTDOWN_STAGES)[number];

const DEADLINE_MS = 9_500;
const WORK_MS = 8_000;

/**
 * The one place that ends a process. Parts register what they must do per stage; stages run one after another, the
 * parts of a stage at once. The whole is bounded: a part that hangs is left behind with a log line (run contract:
 * stopped within 10 seconds). A second signal ends at once, which loses nothing because everything accepted is on disk.
 */
export class Shutdown {
  private readonly parts = new Map<ShutdownStage, { name: string; stop: () => Promise<void> | void }[]>();
  private running: Promise<void> | undefined;

  constructor(private readonly log: Log) {}

  /** True from the first signal on: `/readyz` says no, loops take nothing new. */
  get begun(): boolean {
    return this.running !== undefined;
  }

  on(stage: ShutdownStage, name: string, stop: () => Promise<void> | void): void {
    const parts = this.parts.get(stage) ?? [];
    parts.push({ name, stop });
    this.parts.set(stage, parts);
  }

  /** Ends the process on SIGTERM and SIGINT with code 0; on a second signal at once. */
  listen(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (this.begun) process.exit(1);
        this.log.info('stopping', { signal });
        void this.run().then(() => process.exit(0));
      });
    }
  }

  run(): Promise<void> {
    this.running ??= this.runStages();
    return this.running;
  }

  private async runStages(): Promise<void> {
    const started = Date.now();
    for (const stage of SHUTDOWN_STAGES) {
      const left = (stage === 'intake' || stage === 'work' ? WORK_MS : DEADLINE_MS) - (Date.now() - started);
      await Promise.all((this.parts.get(stage) ?? []).map((part) => this.stopPart(part, Math.max(left, 250))));
    }
  }

  private async stopPart(part: { name: string; stop: () => Promise<void> | void }, deadlineMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), deadlineMs);
    });
    try {
      if ((await Promise.race([part.stop(), late])) === 'late')
        this.log.warn('part did not stop in time', { part: part.name });
    } catch (error) {
      this.log.error('part failed to stop', error, { part: part.name });
    } finally {
      clearTimeout(timer);
    }
  }
}
