import type { Shard } from './shard.js';

const SEED = 0x9747b28c;
const M = 0x5bd1e995;
const R = 24;

/**
 * The partition of a key, as Kafka's own producers choose it. The client library computes the same with 64-bit integers,
 * which takes longer than everything else that is done for a record.
 */
export function partitionOf(key: Buffer, partitions: number): number {
  return (murmur2(key) & 0x7fffffff) % partitions;
}

/** Which keys have a partition of the shard. */
export const belongsTo =
  ({ index, of }: Shard, partitions: number) =>
  (key: string): boolean =>
    partitionOf(Buffer.from(key), partitions) % of === index;

function murmur2(data: Buffer): number {
  const whole = data.length & ~3;
  let hash = SEED ^ data.length;
  for (let i = 0; i < whole; i += 4) {
    let k = Math.imul(data.readInt32LE(i), M);
    k = Math.imul(k ^ (k >>> R), M);
    hash = Math.imul(hash, M) ^ k;
  }
  if (whole < data.length) {
    for (let i = data.length - 1; i >= whole; i--) hash ^= data[i] << (8 * (i - whole));
    hash = Math.imul(hash, M);
  }
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
}
