import { Refusal } from '#libs/contracts';

/** The thing, or 404: what is not there and what belongs to another account are answered alike. */
export function found<T>(thing: T | null): T {
  if (thing === null) throw new Refusal('not_found');
  return thing;
}
