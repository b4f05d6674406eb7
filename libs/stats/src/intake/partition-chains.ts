import { markerEntries, partitionStoredUpTo, storedUpTo, type PositionEntry, type Positions } from './progress.js';

/** Consecutive records of a partition. */
export interface StoredRecords {
  /** Offsets. */
  first: number;
  last: number;
  /** Every event up to this position that belongs to the partition is in these records or before them. */
  completeTo?: number;
  /** The number of partitions as of `completeTo`. */
  sources?: number;
}

/** Consecutive records. */
interface Chain {
  /** The offset after the last one. */
  next: number;
  /** The partitions' markers: every event between them is in the chain. */
  markers: { from: number; to: number; partitions: number } | null;
}

/**
 * Up to which position every event of a partition is stored. A marker tells only what the partition has had: records may
 * have been lost before they were read, with a deleted topic or by retention. Therefore a marker counts if an earlier one,
 * up to which the store is complete, is followed by all offsets in between. After a gap, and in a new process, a chain
 * begins at its first marker, and counts once the comparison with the log has come so far.
 */
export class PartitionChains {
  private readonly chains = new Map<string, Chain>();

  /** Adds records of a source (`<topic>/<partition>`) that are stored. */
  add(source: string, { first, last, completeTo, sources }: StoredRecords): void {
    const known = this.chains.get(source);
    const chain: Chain = known?.next === first ? known : { next: first, markers: null };
    chain.next = last + 1;
    if (completeTo !== undefined && sources !== undefined)
      chain.markers = { from: chain.markers?.from ?? completeTo, to: completeTo, partitions: sources };
    this.chains.set(source, chain);
  }

  /** Entries for the markers that count, given what is stored. */
  news(stored: Positions): PositionEntry[] {
    return this.counting(stored).flatMap(([source, markers]) => markerEntries(source, markers));
  }

  /** The entries are stored: from now on the chains begin there. */
  stored(entries: readonly PositionEntry[]): void {
    const positions = new Map(entries);
    for (const [source, { markers }] of this.chains) {
      const to = partitionStoredUpTo(positions, source);
      if (markers !== null && to > markers.from) markers.from = to;
    }
  }

  private counting(stored: Positions) {
    const complete = storedUpTo(stored);
    return [...this.chains].flatMap(([source, { markers }]) => {
      if (markers === null) return [];
      const isNew = markers.to > partitionStoredUpTo(stored, source);
      const isKnown = markers.from <= Math.max(complete, partitionStoredUpTo(stored, source));
      return isNew && isKnown ? [[source, markers] as const] : [];
    });
  }
}
