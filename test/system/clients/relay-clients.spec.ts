import { describe } from 'vitest';
import { RELAY_CLIENTS } from './relay-clients.js';
import { RELAY_DOMAINS, relayClientsSuite } from './relay-clients.suite.js';
import { RelayFixture } from '../../support/smtp/relay-fixture.js';

/** Third-party clients, configured as in docs/smtp.md; all of them verify the certificate. */
describe('clients of the relay', () => relayClientsSuite(RELAY_CLIENTS, () => RelayFixture.open(RELAY_DOMAINS)));
