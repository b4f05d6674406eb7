import { afterAll, describe } from 'vitest';
import { startDistributed, type DistributedService } from '../support/services/distributed.js';
import type { RunningProgram } from '../support/services/program.js';
import { traceEmailSuite } from '../system/lifecycle/trace-email.suite.js';

describe('traces across five programs', () => {
  let service: DistributedService | undefined;
  afterAll(async () => {
    await service?.stop();
    service?.clean();
  });

  traceEmailSuite(async (settings) => {
    service = await startDistributed(null, settings);
    return { service, ports: (service.programs.get('smtp') as RunningProgram).ports };
  });
});
