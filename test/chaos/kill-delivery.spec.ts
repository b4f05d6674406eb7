import { describe } from 'vitest';
import { killDeliverySuite } from '../engines/kill-delivery.suite.js';

describe('kill -9 of the delivery program, again and again', () =>
  killDeliverySuite(Number(process.env['POSTLOFT_KILLS'] ?? 25)));
