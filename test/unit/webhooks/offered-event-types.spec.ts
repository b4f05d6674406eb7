import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EVENT_TYPES } from '#libs/contracts';

const SOURCE = new URL('../../../apps/dashboard/src/pages/webhooks/event-types.ts', import.meta.url);

it('The dashboard offers every type of event', () => {
  const offered = [...readFileSync(SOURCE, 'utf8').matchAll(/'(\w+\.\w+)'/g)].map(([, type]) => type);
  expect(offered.toSorted()).toEqual([...EVENT_TYPES].toSorted());
});
