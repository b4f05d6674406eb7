import { eventLogSuite } from '../../libs/bus/src/event-log.suite.js';
import { logHarness } from '../support/log-harness.js';

const server = process.env['TEST_DATABASE_URL'] as string;

eventLogSuite('PostgreSQL', () => logHarness(server));
