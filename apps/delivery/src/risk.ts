import type { Place } from './fair-places.js';
import type { RiskGate } from './risk-gate.js';

/** What one job risks: from its first MAIL until its outcome is written, however many transactions lie between. */
export class Risk {
  /** There was no place before MAIL. */
  wasRefused = false;
  private place: Place | null = null;

  constructor(
    private readonly gate: RiskGate,
    private readonly queue: string,
    private readonly holds: () => boolean,
  ) {}

  /** False: the claim is lost, or there is no place; no MAIL may follow. */
  enter(): boolean | Promise<boolean> {
    if (!this.holds()) return false;
    if (this.place) return true;
    const entered = this.gate.enter(this.queue);
    if (!(entered instanceof Promise)) {
      this.place = entered;
      return true;
    }
    return entered.then((place) => {
      this.place = place;
      this.wasRefused = place === null;
      return place !== null && this.holds();
    });
  }

  leave(): void {
    if (this.place) this.gate.leave(this.place);
    this.place = null;
  }
}
