import { describe } from 'vitest';
import { cutConnectionsSuite } from './cut-connections.suite.js';
import { openAccount } from '../../support/services/service-client.js';

/** The full count is in test/chaos. */
describe('sends whose connection is cut at a random byte', () => cutConnectionsSuite(200, () => openAccount('rest')));
