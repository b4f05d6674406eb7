interface Waiter {
  cost: number;
  proceed: () => void;
}

/**
 * Limits the work that many tasks together do in one iteration of the event loop, first come, first served. Tasks that
 * await the same result continue in the same iteration; without a budget their work would add up to one long pause.
 */
export class LoopBudget {
  private spent = 0;
  private isResetScheduled = false;
  private readonly waiting: Waiter[] = [];

  /** The budget of one iteration, in the unit of the costs: bytes, commands. */
  constructor(private readonly perIteration: number) {}

  /** Resolves when the iteration has `cost` left. A cost above the whole budget gets an iteration of its own. */
  async spend(cost: number): Promise<void> {
    if (!this.trySpend(cost)) await new Promise<void>((proceed) => this.waiting.push({ cost, proceed }));
  }

  /** True and spent where `spend` would not wait; false otherwise. */
  trySpend(cost: number): boolean {
    if (this.waiting.length > 0 || !this.affords(cost)) return false;
    this.deduct(cost);
    return true;
  }

  private affords(cost: number): boolean {
    return this.spent === 0 || this.spent + cost <= this.perIteration;
  }

  private deduct(cost: number): void {
    this.spent += cost;
    if (this.isResetScheduled) return;
    this.isResetScheduled = true;
    setImmediate(() => this.reset());
  }

  private reset(): void {
    this.spent = 0;
    this.isResetScheduled = false;
    for (let [waiter] = this.waiting; waiter && this.affords(waiter.cost); [waiter] = this.waiting) {
      this.waiting.shift();
      this.deduct(waiter.cost);
      waiter.proceed();
    }
  }
}
