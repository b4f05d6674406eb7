import { nextTurn } from './next-turn.js';

/**
 * Spreads heavy steps of many tasks over the turns of the event loop. Tasks that wait for the same answer go on in the
 * same turn; without a gate their steps would add up to one long pause for everybody else.
 */
export class TurnGate {
  private used = 0;
  private turn: Promise<void> | null = null;

  /** `perTurn` and the weights are bytes. */
  constructor(private readonly perTurn: number) {}

  /** Resolves when this turn has room for a step of this weight; a step that is heavier than a turn gets one alone. */
  async pass(weight: number): Promise<void> {
    while (!this.passes(weight)) await this.next();
  }

  /** True where `pass` would not wait: the step has its room then. */
  passes(weight: number): boolean {
    if (this.used > 0 && this.used + weight > this.perTurn) return false;
    this.used += weight;
    void this.next();
    return true;
  }

  private next(): Promise<void> {
    this.turn ??= this.begin();
    return this.turn;
  }

  private async begin(): Promise<void> {
    await nextTurn();
    this.used = 0;
    this.turn = null;
  }
}
