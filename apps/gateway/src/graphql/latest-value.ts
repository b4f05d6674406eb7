/**
 * A stream of which only the newest value matters: a reader that is slow skips what it missed and holds one value, never
 * a queue. Ends when the reader leaves.
 */
export class LatestValue<T> implements AsyncIterableIterator<T> {
  private waiting: { value: T } | undefined;
  private reader: ((result: IteratorResult<T>) => void) | undefined;
  private ended = false;

  constructor(private readonly onLeave: () => void) {}

  /** Takes the place of a value that was not read yet. */
  offer(value: T): void {
    if (this.ended) return;
    if (this.reader) this.answer({ value, done: false });
    else this.waiting = { value };
  }

  next(): Promise<IteratorResult<T>> {
    if (this.ended) return Promise.resolve({ value: undefined, done: true });
    if (this.waiting) {
      const { value } = this.waiting;
      this.waiting = undefined;
      return Promise.resolve({ value, done: false });
    }
    return new Promise((resolve) => {
      this.reader = resolve;
    });
  }

  return(): Promise<IteratorResult<T>> {
    if (!this.ended) {
      this.ended = true;
      this.waiting = undefined;
      this.answer({ value: undefined, done: true });
      this.onLeave();
    }
    return Promise.resolve({ value: undefined, done: true });
  }

  throw(error: unknown): Promise<IteratorResult<T>> {
    void this.return();
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private answer(result: IteratorResult<T>): void {
    const { reader } = this;
    this.reader = undefined;
    reader?.(result);
  }
}
