import { describe } from 'vitest';
import { firstMailSuite } from '../support/first-mail.suite.js';
import { startStandalone } from '../support/program.js';

describe('the first mail, in one process on embedded engines', () => firstMailSuite(startStandalone));
