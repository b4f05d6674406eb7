import { nextTurn } from '#libs/kernel';

/** A few milliseconds of comparing. */
const RUN = 4_096;

/** As `toSorted`, but a list of any length does not hold up everybody else: runs are sorted alone and merged in pairs. */
export async function sortedInTurns<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    if (at > 0) await nextTurn();
    runs.push(items.slice(at, at + RUN).sort(compare));
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      await nextTurn();
      longer.push(merged(runs[i], runs.at(i + 1) ?? [], compare));
    }
    runs = longer;
  }
  return runs.at(0) ?? [];
}

function merged<T>(left: T[], right: T[], compare: (a: T, b: T) => number): T[] {
  const all: T[] = [];
  let at = 0;
  for (const item of left) {
    while (at < right.length && compare(right[at], item) < 0) all.push(right[at++]);
    all.push(item);
  }
  return all.concat(right.slice(at));
}
