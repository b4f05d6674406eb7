/** One of the equal parts into which the work of a consumer is divided among processes. */
export interface Shard {
  /** From 0. */
  index: number;
  of: number;
}

/** All of the work. */
export const WHOLE: Shard = { index: 0, of: 1 };

export const shardsOf = (count: number): Shard[] => Array.from({ length: count }, (_, index) => ({ index, of: count }));

/** The name under which the position of a shard is stored: `kafka-relay 2/4`, and `kafka-relay` for the whole. */
export const shardName = (consumer: string, { index, of }: Shard): string =>
  of === 1 ? consumer : `${consumer} ${index + 1}/${of}`;

export const shardNames = (consumer: string, count: number): string[] =>
  shardsOf(count).map((shard) => shardName(consumer, shard));
