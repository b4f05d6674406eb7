import { describe, expect, it } from 'vitest';
import { FairSemaphore, type Permit } from './fair-semaphore.js';
import { UnsettledLimit } from './unsettled-limit.js';

/** Starts sessions that need a permit; returns the permits of those that were admitted. */
function sessions(limit: UnsettledLimit, size: number): Permit[] {
  const admitted: Permit[] = [];
  const session = async (): Promise<void> => {
    const permit = await limit.acquire('a');
    if (permit) admitted.push(permit);
  };
  for (let i = 0; i < size; i++) void session();
  return admitted;
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('UnsettledLimit', () => {
  it('uses all permits once a queue that was limited to its share releases permits quickly', async () => {
    const limit = new UnsettledLimit(new FairSemaphore(50, 1_000));
    const admitted = sessions(limit, 80);
    await turn();
    expect(admitted.length).toBeLessThan(25);
    limit.release(admitted[0]);
    await turn();
    expect(admitted.length - 1).toBe(50);
    limit.close();
  });
});
