import { describe } from 'vitest';
import { kafkaSettings, liveReadersSuite, python } from '../engines/live-readers.suite.js';

const brokers = process.env['KAFKA_TEST_BROKERS'];
const FULL = { events: 10_000, cuts: 50 };

describe.skipIf(python === null)('the readers of docs/live.md', () => {
  describe('with the log of PostgreSQL', () => liveReadersSuite({ settings: {}, ...FULL }));
  describe.skipIf(brokers === undefined)('with Kafka', () =>
    liveReadersSuite({ settings: kafkaSettings(brokers), ...FULL }),
  );
});
