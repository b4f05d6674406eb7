import { yielding } from '#libs/kernel';

export interface GroupCommitOptions<T, R> {
  /** Commits a group; the result has one entry per item, in order. An `Error` entry rejects that item alone. */
  commit: (items: T[]) => Promise<(R | Error)[]>;
  /** Maximum number of items in a group. */
  maxItems: number;
  /** Maximum size of a group in bytes, by `sizeOf`; a single item may exceed it. */
  maxBytes?: number;
  sizeOf?: (item: T) => number;
  /** Milliseconds to wait for more items before each group: fewer, larger commits. Only where no caller waits. */
  gatherMs?: number;
  /**
   * Maximum milliseconds to wait after a group of several, until as many items wait as the last group had: concurrent
   * callers otherwise alternate between two groups. A single caller never waits.
   */
  concurrentGatherMs?: number;
  /** The wait of `gatherMs` ends when this many items wait; default `maxItems`. */
  enoughItems?: number;
}

/** A group of this size has concurrent callers. */
const CONCURRENT_ITEMS = 3;

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: items that arrive while a commit is under way share the next one. A single caller is committed at once;
 * timers only where `gatherMs` or `concurrentGatherMs` ask for them.
 */
export class GroupCommit<T, R> {
  private queue: Waiting<T, R>[] = [];
  private active = 0;
  private idle: (() => void)[] = [];
  private lastGroup = 0;
  private gathered: (() => void) | undefined;

  constructor(private readonly options: GroupCommitOptions<T, R>) {}

  /** Items that wait, plus one while a group is being committed. */
  get pending(): number {
    return this.queue.length + this.active;
  }

  /** Resolves with the item's result after the commit of its group. */
  add(item: T): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      if (this.active === 0) this.startGroup();
      else if (this.queue.length >= this.enough) this.gathered?.();
    });
  }

  /** Resolves when no item waits and the callers have acted on the last results. */
  async drained(): Promise<void> {
    if (this.pending > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
    await yielding.pause();
  }

  private startGroup(): void {
    this.active += 1;
    // All callers of this iteration of the event loop share the first group.
    setImmediate(() => void this.runGroups());
  }

  private async runGroups(): Promise<void> {
    while (this.queue.length > 0) {
      await this.gather();
      const group = this.take();
      this.lastGroup = group.length;
      try {
        const results = await this.options.commit(group.map((waiting) => waiting.item));
        group.forEach((waiting, i) => {
          const result = results[i];
          if (result instanceof Error) waiting.reject(result);
          else waiting.resolve(result);
        });
      } catch (error) {
        for (const waiting of group) waiting.reject(error);
      }
    }
    this.active -= 1;
    if (this.pending === 0) for (const wake of this.idle.splice(0)) wake();
  }

  private async gather(): Promise<void> {
    const { gatherMs = 0, concurrentGatherMs = 0 } = this.options;
    const ms = this.lastGroup < CONCURRENT_ITEMS ? gatherMs : Math.max(gatherMs, concurrentGatherMs);
    if (ms === 0 || this.queue.length >= this.enough) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.gathered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.gathered = undefined;
  }

  private get enough(): number {
    const { gatherMs, enoughItems, maxItems } = this.options;
    return gatherMs === undefined ? Math.min(this.lastGroup, maxItems) : (enoughItems ?? maxItems);
  }

  private take(): Waiting<T, R>[] {
    const { maxItems, maxBytes = Infinity, sizeOf = () => 0 } = this.options;
    let bytes = 0;
    let count = 0;
    while (count < this.queue.length && count < maxItems) {
      bytes += sizeOf(this.queue[count].item);
      if (count > 0 && bytes > maxBytes) break;
      count += 1;
    }
    return this.queue.splice(0, count);
  }
}
