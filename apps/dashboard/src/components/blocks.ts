import { formatNumber } from './format.tsx';

/** Something that waits because a server says that our address is on a block list. */
interface Blocked {
  blockList: string | null;
}

/** The entries of each block list, those with the most entries first; and the other entries. */
export function byBlockList<T extends Blocked>(entries: readonly T[]): { lists: [string, T[]][]; others: T[] } {
  const lists = new Map<string, T[]>();
  for (const entry of entries) {
    if (entry.blockList === null) continue;
    const known = lists.get(entry.blockList);
    if (known) known.push(entry);
    else lists.set(entry.blockList, [entry]);
  }
  return {
    lists: [...lists].sort(([, a], [, b]) => b.length - a.length),
    others: entries.filter(({ blockList }) => blockList === null),
  };
}

/** The sentence for one list. A queue may have several domains of one provider. */
export const refusalOf = (list: string, count: number, noun: 'queue' | 'domain' = 'queue'): string =>
  `${count === 1 ? `One ${noun} refuses` : `${formatNumber(count)} ${noun}s refuse`} us: listed at ${list}`;
