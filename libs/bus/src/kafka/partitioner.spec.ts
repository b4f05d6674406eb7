import { Partitioners, type PartitionMetadata } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { partitionOf } from '../shards/partitioner.js';

describe('partitionOf', () => {
  it('agrees with the client library for ids and for keys of every length', () => {
    const library = Partitioners.DefaultPartitioner();
    const keys = [
      ...Array.from({ length: 40 }, (_, length) => 'é'.repeat(length % 3) + 'x'.repeat(length)),
      ...Array.from({ length: 200 }, () => newId('em')),
    ];
    for (const partitions of [1, 6, 12, 1_000]) {
      const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({ partitionId, leader: 1 }));
      for (const key of keys) {
        const theirs = library({
          topic: 'any',
          partitionMetadata: partitionMetadata as PartitionMetadata[],
          message: { key, value: '' },
        });
        expect(partitionOf(Buffer.from(key), partitions)).toBe(theirs);
      }
    }
  });
});
