import { eventLogSuite } from '../../libs/bus/src/event-log.suite.js';
import { logHarness, standaloneLogHarness } from '../support/fixtures/log-harness.js';

const server = process.env['TEST_DATABASE_URL'] as string;
const EVENTS = 5_000;

eventLogSuite('PostgreSQL', () => logHarness(server), EVENTS);
eventLogSuite('PostgreSQL, read where it is moved', () => standaloneLogHarness(server), EVENTS);
