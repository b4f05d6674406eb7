import type { FairSemaphore, Permit } from './fair-semaphore.js';

/** How long an SMTP session waits before MAIL; meanwhile it holds a connection that other messages could use. */
const MAX_WAIT_MS = 3_000;

interface Waiter {
  admit: (permit: Permit | null) => void;
  timer: NodeJS.Timeout;
}

/**
 * Bounds the messages between MAIL and the commit of their outcome: these are the ones that a crash may send twice.
 * A session that finds no permit waits for a moment; queues are admitted in turn.
 */
export class UnsettledLimit {
  private readonly waiting = new Map<string, Waiter[]>();
  private closed = false;

  constructor(private readonly permits: FairSemaphore) {}

  get held(): number {
    return this.permits.held;
  }

  /** Null: no permit within the wait, or the limit is closed. */
  acquire(queue: string): Permit | Promise<Permit | null> {
    if (this.closed) return Promise.resolve(null);
    const permit = this.waiting.has(queue) ? null : this.permits.acquire(queue);
    return permit ?? this.wait(queue);
  }

  release(permit: Permit): void {
    this.permits.release(permit);
    if (this.waiting.size > 0) this.admit();
  }

  /** Refuses all waiting and later sessions. */
  close(): void {
    this.closed = true;
    for (const waiters of this.waiting.values()) for (const waiter of waiters) settle(waiter, null);
    this.waiting.clear();
  }

  private wait(queue: string): Promise<Permit | null> {
    return new Promise((resolve) => {
      const waiter: Waiter = { admit: resolve, timer: setTimeout(() => this.giveUp(queue, waiter), MAX_WAIT_MS) };
      const waiters = this.waiting.get(queue);
      if (waiters) waiters.push(waiter);
      else this.waiting.set(queue, [waiter]);
    });
  }

  private giveUp(queue: string, waiter: Waiter): void {
    const others = (this.waiting.get(queue) ?? []).filter((other) => other !== waiter);
    if (others.length > 0) this.waiting.set(queue, others);
    else this.waiting.delete(queue);
    waiter.admit(null);
  }

  /** Admits as many as there are permits: one per release would never widen the limit again after it was narrow. */
  private admit(): void {
    while (this.waiting.size > 0 && this.admitOneOfEach() > 0);
  }

  /** Admits one session of each queue; a queue that was served moves to the end. Returns how many were admitted. */
  private admitOneOfEach(): number {
    let admitted = 0;
    for (const [queue, waiters] of [...this.waiting]) {
      const permit = this.permits.acquire(queue);
      if (permit === null) continue;
      const [first, ...others] = waiters;
      this.waiting.delete(queue);
      if (others.length > 0) this.waiting.set(queue, others);
      settle(first, permit);
      admitted += 1;
      if (this.permits.free === 0) return 0;
    }
    return admitted;
  }
}

function settle({ admit, timer }: Waiter, permit: Permit | null): void {
  clearTimeout(timer);
  admit(permit);
}

/** The permit of one job, from its first MAIL until its outcome is written, however many transactions lie between. */
export class UnsettledJob {
  /** True when no permit was free before MAIL. */
  wasRefused = false;
  private held: Permit | null = null;

  constructor(
    private readonly limit: UnsettledLimit,
    private readonly queue: string,
    private readonly isClaimValid: () => boolean,
  ) {}

  /** False: the claim is lost, or no permit is free; MAIL must not be sent. */
  permit(): boolean | Promise<boolean> {
    if (!this.isClaimValid()) return false;
    if (this.held) return true;
    const acquired = this.limit.acquire(this.queue);
    if (!(acquired instanceof Promise)) {
      this.held = acquired;
      return true;
    }
    return acquired.then((permit) => {
      this.held = permit;
      this.wasRefused = permit === null;
      return permit !== null && this.isClaimValid();
    });
  }

  release(): void {
    if (this.held) this.limit.release(this.held);
    this.held = null;
  }
}
