import { describe } from 'vitest';
import { killDeliverySuite } from './kill-delivery.suite.js';

/** More kills are in test/chaos. */
describe('kill -9 of the delivery program', () => killDeliverySuite(1));
