import { expect, it } from 'vitest';
import { shardNames } from './shard.js';

it('names the whole like the consumer, and shards by number', () => {
  expect(shardNames('kafka-relay', 1)).toEqual(['kafka-relay']);
  expect(shardNames('kafka-relay', 2)).toEqual(['kafka-relay 1/2', 'kafka-relay 2/2']);
});
