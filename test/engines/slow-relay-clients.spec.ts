import { describe } from 'vitest';
import { SLOW_CLIENTS } from '../system/clients/relay-clients.js';
import { RELAY_DOMAINS, relayClientsSuite } from '../system/clients/relay-clients.suite.js';
import { RelayFixture } from '../support/smtp/relay-fixture.js';

/** Those of docs/smtp.md that take seconds to start. */
describe('slow clients of the relay', () => relayClientsSuite(SLOW_CLIENTS, () => RelayFixture.start(RELAY_DOMAINS)));
