import { describe } from 'vitest';
import { RELAY_CLIENTS } from '../support/relay-clients.js';
import { relayClientsSuite } from '../support/relay-clients.suite.js';

/** Programs of other people, as docs/smtp.md tells their users to set them up; certificates are verified by all. */
describe('clients of the relay', () => relayClientsSuite(RELAY_CLIENTS));
