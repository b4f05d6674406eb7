/** Lets so many through at once; the others wait in the order in which they came. */
export class Turnstile {
  private inside = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  async through<T>(work: () => Promise<T>): Promise<T> {
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
}
