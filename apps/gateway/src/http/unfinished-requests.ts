/** Closes the connection and frees its place at once. */
type Close = () => void;

/** Connections without a complete request of a client that is known: new, idle, or in the middle of a request. */
export class UnfinishedRequests {
  /** In the order in which the wait for their requests began. */
  private readonly waiting = new Map<string, { since: number; close: Close }>();

  /** @param clock milliseconds on a clock that never goes back */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  get size(): number {
    return this.waiting.size;
  }

  /** The wait for the next request of this connection begins now. */
  begin(name: string, close: Close): void {
    this.waiting.delete(name);
    this.waiting.set(name, { since: this.clock(), close });
  }

  /** The request has arrived or its client is known, or the connection has ended. */
  end(name: string): void {
    this.waiting.delete(name);
  }

  /** False if there is none. */
  closeOldest(): boolean {
    const [oldest] = this.waiting;
    if (oldest === undefined) return false;
    this.close(oldest[0]);
    return true;
  }

  /** Closes those that have waited longer. */
  closeLongerThan(ms: number): void {
    const before = this.clock() - ms;
    for (const [name, { since }] of this.waiting) {
      if (since > before) return;
      this.close(name);
    }
  }

  private close(name: string): void {
    const entry = this.waiting.get(name);
    this.waiting.delete(name);
    entry?.close();
  }
}
