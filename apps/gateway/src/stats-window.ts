import { Refusal } from '#libs/contracts';

const DAY_MS = 24 * 3600 * 1000;

/** The half-open window of a statistics question; by default the last 24 hours. @throws Refusal `invalid_parameter`. */
export function statsWindow(given: { from?: Date | null; to?: Date | null }): { from: Date; to: Date } {
  const to = given.to ?? new Date();
  const from = given.from ?? new Date(to.getTime() - DAY_MS);
  if (from >= to)
    throw new Refusal(
      'invalid_parameter',
      [{ field: 'from', code: 'invalid_parameter', message: 'must be before the end of the window' }],
      'The parameter from must be before the end of the window.',
    );
  return { from, to };
}
