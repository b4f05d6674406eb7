import { test } from 'vitest';
import { openQueueFixture } from './queue-fixture.js';

/** Tests with a database that their file shares, and one process on it. */
export const queueTest = test
  .extend('connections', { scope: 'file' }, undefined as number | undefined)
  .extend('fixture', { scope: 'file' }, async ({ connections }, { onCleanup }) => {
    const fixture = await openQueueFixture(connections);
    onCleanup(() => fixture.close());
    return fixture;
  })
  .extend('program', { scope: 'file' }, ({ fixture }) => fixture.open());
