import { afterAll, describe } from 'vitest';
import { cutConnectionsSuite } from '../system/rest/cut-connections.suite.js';
import { startStandalone, type RunningProgram } from '../support/services/program.js';
import { firstSender } from '../support/services/sender.js';

describe('two thousand sends whose connection is cut at a random byte', () => {
  let program: RunningProgram;
  afterAll(async () => {
    await program?.stop();
    program?.clean();
  });

  cutConnectionsSuite(2_000, async () => firstSender((program = await startStandalone())));
});
