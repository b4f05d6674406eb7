import { setTimeout as sleep } from 'node:timers/promises';

const SECOND_MS = 1_000;

/**
 * Lets so many through at once and in a second; the others wait in the order in which they came. What has been quiet may
 * begin with a second's worth at once.
 */
export class Turnstile {
  private inside = 0;
  private readonly waiting: (() => void)[] = [];
  /** When the next one may begin. */
  private next = -Infinity;
  private readonly spacing: number;

  constructor(
    private readonly most: number,
    perSecond: number,
  ) {
    this.spacing = SECOND_MS / perSecond;
  }

  async through<T>(work: () => Promise<T>): Promise<T> {
    await this.pace();
    if (this.inside === this.most) await new Promise<void>((go) => this.waiting.push(go));
    else this.inside += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next one without being free in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.inside -= 1;
    }
  }

  private async pace(): Promise<void> {
    const now = performance.now();
    const begin = Math.max(this.next, now - SECOND_MS);
    this.next = begin + this.spacing;
    if (begin > now) await sleep(begin - now, undefined, { ref: false });
  }
}
