import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { NODE_VERSIONS } from '../../tools/node-versions.mjs';
import { startStandalone, type RunningProgram } from '../support/services/program.js';
import { firstMailSuite } from '../system/lifecycle/first-mail.suite.js';

const REQUIRED = process.env['POSTLOFT_REQUIRE_ENGINES'] === '1';

describe.each(NODE_VERSIONS)('the first mail, on Node.js $version', ({ bin }) => {
  describe.skipIf(!existsSync(join(bin, 'node')) && !REQUIRED)('in one process', () => {
    let service: RunningProgram | undefined;
    afterAll(async () => {
      // Worker threads, native libraries and child processes end as well.
      expect(await service?.stop()).toBe(0);
      service?.clean();
    });

    firstMailSuite(async () => (service = await startStandalone({ PATH: `${bin}:${process.env['PATH']}` })));
  });
});
