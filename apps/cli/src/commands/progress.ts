const WIDTH = 24;
const EVERY_MS = 200;

/** How far a long command is, on standard error: a bar on a terminal, nothing elsewhere; and sentences everywhere. */
export class Progress {
  private readonly isTerminal = process.stderr.isTTY;
  private shownAt = -Infinity;
  private isShown = false;

  /** @param of at least 0; an estimate that `done` may exceed */
  readonly show = (step: string, done: number, of: number): void => {
    const now = performance.now();
    if (!this.isTerminal || (now - this.shownAt < EVERY_MS && done < of)) return;
    this.shownAt = now;
    this.isShown = true;
    const part = of === 0 ? 1 : Math.min(1, done / of);
    const full = Math.round(part * WIDTH);
    const bar = '#'.repeat(full) + '.'.repeat(WIDTH - full);
    process.stderr.write(`\r[${bar}] ${String(Math.round(part * 100)).padStart(3)}% ${step.padEnd(24)}`);
  };

  readonly say = (sentence: string): void => {
    this.end();
    process.stderr.write(`${sentence}\n`);
  };

  /** Removes the bar. */
  end(): void {
    if (this.isShown) process.stderr.write(`\r${' '.repeat(WIDTH + 36)}\r`);
    this.isShown = false;
  }
}
