import { randomBytes } from 'node:crypto';
import { describe, it } from 'vitest';
import { eventLogSuite } from '../../libs/bus/src/event-log.suite.js';
import { logHarness } from '../support/fixtures/log-harness.js';

const brokers = process.env['KAFKA_TEST_BROKERS'];
const server = process.env['TEST_DATABASE_URL'] as string;

if (brokers) {
  // A topic of its own for each test.
  const settings = () => ({
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: `test-${randomBytes(4).toString('hex')}.`,
  });
  eventLogSuite('Kafka', () => logHarness(server, settings()));
} else {
  describe('the event log of Kafka', () => {
    if (process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') {
      it('has a broker to be tried on', () => {
        throw new Error('POSTLOFT_REQUIRE_ENGINES=1, but KAFKA_TEST_BROKERS names no broker');
      });
    } else {
      it.skip('is not tried: KAFKA_TEST_BROKERS names no broker', () => undefined);
    }
  });
}
