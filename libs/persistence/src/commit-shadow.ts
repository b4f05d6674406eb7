/** So long work waits at most for a commit that does not come. */
const LONGEST_MS = 2;

/** Work that can wait until the next commit is on its way: while that is awaited there is time for it. */
export class CommitShadow {
  private waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** `isNextNear`: others are about to commit; else nothing is waited for but this turn of the event loop. */
  add(work: () => void, isNextNear: boolean): void {
    this.waiting.push(work);
    if (this.waiting.length > 1) return;
    if (isNextNear) this.timer = setTimeout(() => this.run(), LONGEST_MS);
    else setImmediate(() => this.run());
  }

  /** The next commit is on its way. */
  begin(): void {
    if (this.timer === undefined) return;
    this.endWait();
    setImmediate(() => this.run());
  }

  /** Does all that waits. */
  run(): void {
    this.endWait();
    for (const work of this.waiting.splice(0)) work();
  }

  private endWait(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
