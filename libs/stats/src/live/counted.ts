import { MinuteWindow } from './minute-window.js';
import type { CountedEvent } from './recent-counts.js';

export interface CountsOf {
  accountId: string;
  /** Null: the whole account. */
  domainId: string | null;
}

/** The minutes of a window as of a position of the log: events up to it are in the window. */
export interface Minutes {
  window: MinuteWindow;
  position: number;
}

/** The minutes of one domain or account, advanced event by event. */
export class Counted {
  private readonly listeners = new Set<() => void>();
  /** Minutes that had left the window belong to it again, and their counts are not loaded yet. */
  isIncomplete = false;

  constructor(
    readonly of: CountsOf,
    private minutes: Minutes,
  ) {}

  get window(): MinuteWindow {
    return this.minutes.window;
  }

  get isUsed(): boolean {
    return this.listeners.size > 0;
  }

  count({ position, minute, counter }: CountedEvent): void {
    if (position > this.minutes.position && this.window.add(minute, counter)) this.changed();
  }

  slideTo(first: number): void {
    if (this.window.slideTo(first)) this.changed();
  }

  /** In place of what was counted before. */
  replace(minutes: Minutes): void {
    this.minutes = minutes;
    this.isIncomplete = false;
    this.changed();
  }

  /** Returns the function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
