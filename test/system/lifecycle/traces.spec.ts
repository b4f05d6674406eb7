import { afterAll, describe } from 'vitest';
import { startStandalone, type RunningProgram } from '../../support/services/program.js';
import { traceEmailSuite } from './trace-email.suite.js';

describe('traces of the standalone program', () => {
  let service: RunningProgram | undefined;
  afterAll(async () => {
    await service?.stop();
    service?.clean();
  });

  traceEmailSuite(async (settings) => {
    service = await startStandalone(settings);
    return { service, ports: service.ports };
  });
});
