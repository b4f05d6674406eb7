/** A stream that keeps only the latest value: a slow reader skips values instead of building up a queue. */
export class ConflatingStream<T> implements AsyncIterableIterator<T> {
  private pending: { value: T } | undefined;
  private reader: ((result: IteratorResult<T>) => void) | undefined;
  private ended = false;

  constructor(private readonly onReturn: () => void) {}

  /** Replaces a value that has not been read yet. */
  offer(value: T): void {
    if (this.ended) return;
    if (this.reader) this.resolveReader({ value, done: false });
    else this.pending = { value };
  }

  next(): Promise<IteratorResult<T>> {
    if (this.ended) return Promise.resolve({ value: undefined, done: true });
    if (this.pending) {
      const { value } = this.pending;
      this.pending = undefined;
      return Promise.resolve({ value, done: false });
    }
    return new Promise((resolve) => {
      this.reader = resolve;
    });
  }

  return(): Promise<IteratorResult<T>> {
    if (!this.ended) {
      this.ended = true;
      this.pending = undefined;
      this.resolveReader({ value: undefined, done: true });
      this.onReturn();
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

  private resolveReader(result: IteratorResult<T>): void {
    const { reader } = this;
    this.reader = undefined;
    reader?.(result);
  }
}
