import { MinuteWindow } from './minute-window.js';
import type { CountedEvent } from './recent-counts.js';

/** The minutes of one domain or account, advanced event by event. */
export class Counted {
  private readonly listeners = new Set<() => void>();

  constructor(
    readonly window: MinuteWindow,
    /** Events up to this position are in the window already. */
    private readonly position: number,
  ) {}

  get isUsed(): boolean {
    return this.listeners.size > 0;
  }

  count({ position, minute, counter }: CountedEvent): void {
    if (position > this.position && this.window.add(minute, counter)) this.changed();
  }

  slideTo(first: number): void {
    if (this.window.slideTo(first)) this.changed();
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
