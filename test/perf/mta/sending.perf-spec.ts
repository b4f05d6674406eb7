import { expect, it } from 'vitest';
import { stuffDots } from '../../../libs/mta/src/smtp/dot-stuffing.js';
import { cost } from '../../support/timing/cost.js';
import { DELIVERED, SENDER, throttlingFixture } from '../../support/delivery/throttling-fixture.js';

it('10 MB of dots are stuffed at the price of ordinary lines', async () => {
  const stuff = (content: Buffer) => () => [...stuffDots([content])];
  const hostile = Buffer.from('.\r\n'.repeat(3_300_000));
  const honest = Buffer.alloc(9_900_000, `.${'Dear reader, '.repeat(6)}\r\n`);
  expect(await cost(stuff(hostile))).toBeLessThan(10 * (await cost(stuff(honest))));
});

it('an admission costs the same for a hundred thousand queues as for a hundred, but for the memory', async () => {
  const admissions = (count: number) => {
    const { shaping } = throttlingFixture();
    const queues = Array.from({ length: count }, (_, i) => ({ queue: `domain:d${i}.example`, provider: null }));
    for (const queue of queues) shaping.availableSlots(queue);
    return () => {
      for (let i = 0; i < 100_000; i += 1) {
        const admission = shaping.admit(queues[i % count], SENDER);
        if (admission.kind === 'go') admission.permit.release([DELIVERED]);
      }
    };
  };
  const few = await cost(admissions(100));
  expect(await cost(admissions(100_000))).toBeLessThan(10 * few);
});
