/** The reader of a stream was too slow, and its buffer is full. */
export class SlowReader extends Error {
  constructor() {
    super('The client reads too slowly.');
  }
}

/**
 * The values of one subscription. A transport takes them while its client reads, so that they wait here and not in the
 * buffers of the connection. Values may be shared with other subscriptions and must not be changed.
 */
export abstract class LiveStream<T extends object = object> implements AsyncIterable<T> {
  private listener: () => void = () => undefined;
  protected closed = false;

  /** The next value, or undefined while there is none. */
  abstract take(): T | undefined;

  /** Why there will be no further values; undefined while there may be. */
  failure(): Error | undefined {
    return undefined;
  }

  /** How to go on after this value, the last one that was sent; at most 123 bytes, for the reason of a close frame. */
  resumeHint(_last: T | undefined): string {
    return 'Too slow';
  }

  /** Calls back when `take` may have a value, or after a failure. */
  onReady(listener: () => void): void {
    this.listener = listener;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.listener = () => undefined;
    this.onClose();
  }

  protected abstract onClose(): void;

  protected ready(): void {
    this.listener();
  }

  /** For transports that pull. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    let wake: () => void = () => undefined;
    this.onReady(() => wake());
    try {
      for (;;) {
        const value = this.take();
        const failure = this.failure();
        if (value !== undefined) yield value;
        else if (failure !== undefined) throw failure;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.close();
    }
  }
}

/** Only the latest value counts: a slow reader skips the ones before it. */
export class LatestStream<T extends object> extends LiveStream<T> {
  private taken: T | undefined;
  private readonly leave: () => void;

  /** `current` gives the same object until the value changes. */
  constructor(
    private readonly current: () => T,
    onChange: (listener: () => void) => () => void,
  ) {
    super();
    this.leave = onChange(() => this.ready());
  }

  take(): T | undefined {
    const value = this.current();
    if (value === this.taken) return undefined;
    this.taken = value;
    return value;
  }

  protected onClose(): void {
    this.leave();
  }
}
