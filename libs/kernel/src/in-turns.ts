import { nextTurn } from './next-turn.js';

/** Work without a pause: as much as a handshake takes, of which a waiting client sees several anyway. */
const TURN_MS = 3;

/** What `work` makes of each item, in order; others of this process go first in between when it takes long. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T, index: number) => R): Promise<R[]> {
  const results: R[] = [];
  let began = performance.now();
  for (const [index, item] of items.entries()) {
    if (performance.now() - began > TURN_MS) {
      await nextTurn();
      began = performance.now();
    }
    results.push(work(item, index));
  }
  return results;
}
