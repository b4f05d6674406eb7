import { describe } from 'vitest';
import { SLOW_CLIENTS } from '../support/relay-clients.js';
import { relayClientsSuite } from '../support/relay-clients.suite.js';

/** Those of test/e2e/relay-clients that take seconds. */
describe('slow clients of the relay', () => relayClientsSuite(SLOW_CLIENTS));
