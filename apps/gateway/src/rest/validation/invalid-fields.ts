import { Refusal } from '#libs/contracts';

/** The refusal of one query parameter or header. */
export function invalidParameter(field: string, message: string, kind = 'parameter'): Refusal {
  const detail = { field, code: 'invalid_parameter', message };
  return new Refusal('invalid_parameter', [detail], `The ${kind} ${field} ${message}.`);
}

/** @throws Refusal when both of two alternative fields are given */
export function requireOnlyOne(given: Record<string, unknown>): void {
  const [first, second] = Object.keys(given).filter((name) => given[name] !== undefined);
  if (second === undefined) return;
  throw Refusal.ofFields([{ field: second, code: 'exclusive', message: `must not be given together with ${first}` }]);
}
