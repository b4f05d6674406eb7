import { describe, expect, it } from 'vitest';
import { kafkaSettings, liveReadersSuite, python } from './live-readers.suite.js';

const brokers = process.env['KAFKA_TEST_BROKERS'];

describe.runIf(process.env['POSTLOFT_REQUIRE_ENGINES'] === '1')('the readers of docs/live.md', () => {
  it('have gql from PyPI', () => expect(python).not.toBeNull());
  it('have a broker', () => expect(brokers).toBeDefined());
});

describe.skipIf(python === null)(
  `the readers of docs/live.md, with ${brokers ? 'Kafka' : 'the log of PostgreSQL'}`,
  () => liveReadersSuite({ settings: kafkaSettings(brokers), events: 2_000, cuts: 10 }),
);
