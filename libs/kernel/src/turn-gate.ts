interface Step {
  weight: number;
  go: () => void;
}

/**
 * Spreads heavy steps of many tasks over the turns of the event loop, in the order in which they came. Tasks that wait for
 * the same answer go on in the same turn; without a gate their steps would add up to one long pause for everybody else.
 */
export class TurnGate {
  private used = 0;
  private counting = false;
  private readonly waiting: Step[] = [];

  /** What one turn has room for, in the unit of the weights: bytes, commands. */
  constructor(private readonly perTurn: number) {}

  /** Resolves when this turn has room for a step of this weight; a step that is heavier than a turn gets one alone. */
  async pass(weight: number): Promise<void> {
    if (!this.passes(weight)) await new Promise<void>((go) => this.waiting.push({ weight, go }));
  }

  /** True where `pass` would not wait: the step has its room then. */
  passes(weight: number): boolean {
    if (this.waiting.length > 0 || !this.hasRoom(weight)) return false;
    this.take(weight);
    return true;
  }

  private hasRoom(weight: number): boolean {
    return this.used === 0 || this.used + weight <= this.perTurn;
  }

  private take(weight: number): void {
    this.used += weight;
    if (this.counting) return;
    this.counting = true;
    setImmediate(() => this.nextTurn());
  }

  private nextTurn(): void {
    this.used = 0;
    this.counting = false;
    for (let [step] = this.waiting; step && this.hasRoom(step.weight); [step] = this.waiting) {
      this.waiting.shift();
      this.take(step.weight);
      step.go();
    }
  }
}
