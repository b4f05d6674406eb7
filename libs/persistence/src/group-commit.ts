import { nextTurn } from '#libs/kernel';
import { CommitShadow } from './commit-shadow.js';

/**
 * Many callers, one commit. Whoever waits when the last commit returns goes into the next one, so a lone caller pays no
 * linger and a crowd shares the disk flush. Timers only where they are asked for: `gatherMs`, `crowdMs`.
 */
export interface GroupCommitOptions<T, R> {
  /** Does the whole group; the result has one entry per item, in order. An `Error` entry refuses that item alone. */
  commit: (items: T[]) => Promise<(R | Error)[]>;
  /** At most this many items in one group. */
  maxItems: number;
  /** At most this many bytes in one group, by `sizeOf`; one item may exceed it alone. */
  maxBytes?: number;
  sizeOf?: (item: T) => number;
  /**
   * Milliseconds to gather before a group, for work whose caller waits for nothing: fewer, larger commits. Leave it out
   * where somebody waits for the answer.
   */
  gatherMs?: number;
  /**
   * Milliseconds to gather at most after a group of several: callers in a crowd take turns with the commit, and each turn
   * costs as much as several items. It ends when as many wait as the last group had: those are back, or as many others.
   * A lone caller never waits.
   */
  crowdMs?: number;
  /** Gathering for `gatherMs` ends when so many wait; `maxItems` if left out. */
  enoughItems?: number;
}

/** Items of one group that make a crowd. */
const CROWD = 3;

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

export class GroupCommit<T, R> {
  private queue: Waiting<T, R>[] = [];
  private active = 0;
  private idle: (() => void)[] = [];
  private lastGroup = 0;
  private gathered: (() => void) | undefined;
  private readonly shadow = new CommitShadow();

  constructor(private readonly options: GroupCommitOptions<T, R>) {}

  /** Items that wait or are being committed right now. */
  get pending(): number {
    return this.queue.length + this.active;
  }

  /** Resolves with the item's result after its group's commit is on disk. */
  add(item: T): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      if (this.active === 0) this.startGroup();
      else if (this.queue.length >= this.enough) this.gathered?.();
    });
  }

  /**
   * For what a caller has to do after its commit and nobody waits for: behind the answers of the whole group and, in a
   * crowd, behind the start of the next commit.
   */
  afterwards(work: () => void): void {
    this.shadow.add(work, this.lastGroup >= CROWD);
  }

  /** Resolves when nothing waits any more, and what was left for afterwards is done. */
  async drained(): Promise<void> {
    if (this.pending > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
    // Callers hear of the last commit before they leave work for afterwards.
    await nextTurn();
    this.shadow.run();
  }

  private startGroup(): void {
    this.active += 1;
    // Behind what this turn of the event loop still has to read: all its callers share the first group.
    setImmediate(() => void this.runGroups());
  }

  private async runGroups(): Promise<void> {
    while (this.queue.length > 0) {
      await this.gather();
      const group = this.take();
      this.lastGroup = group.length;
      try {
        const committed = this.options.commit(group.map((waiting) => waiting.item));
        this.shadow.begin();
        const results = await committed;
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
    const { gatherMs = 0, crowdMs = 0 } = this.options;
    const ms = this.lastGroup < CROWD ? gatherMs : Math.max(gatherMs, crowdMs);
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
