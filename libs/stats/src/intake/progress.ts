import type { Engine } from '../engine.js';
import { PROGRESS } from '../schema/tables.js';

/** The source of `stats_progress_by_source` with the position up to which the store is known to be complete. */
export const COMPLETE = 'complete';
/** The PostgreSQL log. */
export const LOG_SOURCE = 'log';
const MARKER = 'marker ';
const PARTITIONS = 'partitions ';

/** Positions by source: of its last event, and what `markerEntries` and `COMPLETE` say. They never decrease. */
export type Positions = ReadonlyMap<string, number>;
export type PositionEntry = readonly [source: string, position: number];

/** A partition whose events up to `to` are all stored. `source`: `<topic>/<partition>`. */
export const markerEntries = (
  source: string,
  { to, partitions }: { to: number; partitions: number },
): PositionEntry[] => [
  [`${MARKER}${source}`, to],
  [`${PARTITIONS}${topicOf(source)}`, partitions],
];

const topicOf = (source: string): string => source.slice(0, source.lastIndexOf('/'));

/** The last position of each source that events came from. */
export const lastPositions = (positions: Positions): PositionEntry[] =>
  [...positions].filter(([source]) => !source.startsWith(MARKER) && !source.startsWith(PARTITIONS));

/** Every event of this partition up to this position is stored. */
export const partitionStoredUpTo = (positions: Positions, source: string): number =>
  positions.get(`${MARKER}${source}`) ?? 0;

/**
 * Every event up to this position that belongs in the store is stored: up to the last one of the PostgreSQL log, to the
 * lowest marker of all partitions of a topic, or to where the store has been compared with the log.
 */
export function storedUpTo(positions: Positions): number {
  const topics = [...positions].flatMap(([name, count]) => {
    if (!name.startsWith(PARTITIONS)) return [];
    const topic = name.slice(PARTITIONS.length);
    return [Math.min(...Array.from({ length: count }, (_, n) => partitionStoredUpTo(positions, `${topic}/${n}`)))];
  });
  return Math.max(positions.get(LOG_SOURCE) ?? 0, positions.get(COMPLETE) ?? 0, ...topics);
}

/** The positions that the store remembers. */
export class Progress {
  /** Only kept if no other process can write to the store. */
  private known: Map<string, number> | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly isShared: boolean,
  ) {}

  async read(): Promise<Positions> {
    if (this.known !== undefined && !this.isShared) return this.known;
    const rows = await this.engine.select<{ source: string; stored: string }>({
      query: `SELECT source, toString(max(position)) AS stored FROM ${PROGRESS} GROUP BY source`,
      params: {},
    });
    this.known = new Map(rows.map(({ source, stored }) => [source, Number(stored)]));
    return this.known;
  }

  async advance(entries: readonly PositionEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.engine.insert({
      table: PROGRESS,
      columns: ['source', 'position'],
      rows: entries.map((entry) => [...entry]),
    });
    for (const [source, position] of entries) this.known?.set(source, Math.max(position, this.known.get(source) ?? 0));
  }

  /** Forgets what was read, for a store that was changed from outside. */
  forget(): void {
    this.known = undefined;
  }
}
