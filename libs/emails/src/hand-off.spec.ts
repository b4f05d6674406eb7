import { describe, expect, it } from 'vitest';
import { HandOff } from './hand-off.js';
import type { DeliveryJob } from './ledger/delivery-job.js';

const MOST = 2_000;
const worker = { id: 'wrk_1', alive: true, life: 1 };
const job = (reservedBytes = 10) => ({ domain: 'example.com', reservedBytes }) as DeliveryJob;

describe('HandOff', () => {
  it('has room again when a job waits no more', () => {
    const handOff = new HandOff();
    handOff.connect({ worker, welcomes: () => true, take: () => undefined });
    const jobs = Array.from({ length: MOST }, () => job());
    expect(handOff.reserve(jobs, MOST * 10)).toBe(worker);
    handOff.push(jobs);
    expect(handOff.reserve([job()], 10)).toBeNull();
    handOff.leave(jobs[0]);
    handOff.leave(jobs[0]);
    expect(handOff.reserve([job()], 10)).toBe(worker);
    expect(handOff.reserve([job()], 10)).toBeNull();
  });

  it('counts what another thread took until that says that it waits no more', () => {
    const [here, there] = [new HandOff(), new HandOff()];
    const taken: DeliveryJob[] = [];
    there.connect({ worker, welcomes: () => true, take: (jobs) => taken.push(...jobs) });
    const left = ({ reservedBytes }: DeliveryJob) => here.cancel(1, reservedBytes);
    here.connect({
      worker,
      welcomes: () => true,
      take: (jobs) => there.adopt(structuredClone(jobs), left),
      isElsewhere: true,
    });
    const jobs = Array.from({ length: MOST }, () => job());
    here.reserve(jobs, MOST * 10);
    here.push(jobs);
    expect(taken).toHaveLength(MOST);
    expect(here.reserve([job()], 10)).toBeNull();
    there.leave(taken[0]);
    expect(here.reserve([job()], 10)).toBe(worker);
    expect(here.reserve([job()], 10)).toBeNull();
  });
});
