import { Log, Shutdown } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import type { EventBatch } from '../event-log.js';
import type { ParkedEvents, Undigested } from './parked-events.js';
import { Parking } from './parking.js';

const GUARD = { check: () => undefined };

/** A batch of three events of one partition; every partition has the same offsets. */
function batchOf(partition: number): EventBatch {
  const events = [1, 2, 3].map((number) => ({
    event: { id: `evt_${partition}_${number}`, account_id: 'acc_a', type: 'email.queued' },
    position: 10 * partition + number,
  }));
  return { source: `events/${partition}`, first: partition, last: partition + 2, events: events as never };
}

describe('Parking', () => {
  const parked: string[] = [];
  const store = {
    park: async (_: string, undigested: Undigested[]) =>
      void parked.push(...undigested.map(({ event }) => event?.event.id ?? '')),
  } as unknown as ParkedEvents;
  const parking = new Parking(store, Log.quiet(), new Shutdown(Log.quiet()));

  it('counts the failures of each partition by themselves, in whatever order their batches come', async () => {
    parked.length = 0;
    const handle = parking.guarded({
      consumer: 'tested',
      handle: async ({ events }) => {
        if (events.some(({ event }) => event.id.endsWith('_2'))) throw new Error('no idea');
      },
    });
    for (let round = 1; round <= 4; round++)
      for (const partition of [0, 1, 2]) await expect(handle(batchOf(partition), GUARD)).rejects.toThrow('no idea');
    expect(parked).toEqual([]);
    for (const partition of [0, 1, 2]) await handle(batchOf(partition), GUARD);
    expect(parked).toEqual(['evt_0_2', 'evt_1_2', 'evt_2_2']);
  });

  it('does not forget the failures of a partition when another one succeeds', async () => {
    parked.length = 0;
    const handle = parking.guarded({
      consumer: 'tested',
      handle: async ({ source, events }) => {
        if (source.startsWith('events/0') && events.some(({ event }) => event.id.endsWith('_2')))
          throw new Error('no idea');
      },
    });
    for (let round = 1; round <= 4; round++) {
      await expect(handle(batchOf(0), GUARD)).rejects.toThrow('no idea');
      await handle(batchOf(1), GUARD);
    }
    await handle(batchOf(0), GUARD);
    expect(parked).toEqual(['evt_0_2']);
  });
});
