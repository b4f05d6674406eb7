/** The parameters of a statement in the making. */
export class Parameters {
  readonly values: unknown[] = [];

  /** What stands for this value in the statement: `$3`. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/** A LIMIT that keeps the planner from dissolving a subquery, so that it is read in its own order. */
export const ENDLESS = 1_000_000_000;
