import { lowestIdAt } from '#libs/contracts';
import { databaseClock } from '#libs/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import { idRange } from './id-range.js';

const HOUR_MS = 3_600_000;
const NOW = Date.now();
const at = (hours: number): Date => new Date(NOW + hours * HOUR_MS);
const page = { limit: 10 };

describe('idRange', () => {
  afterEach(() => databaseClock.setSteps([]));

  it('contains ids of the time of a filter', () => {
    const { above, below } = idRange(page, { createdAfter: at(-2), createdBefore: at(-1) });
    expect(lowestIdAt('em', at(-1.5)) > above && lowestIdAt('em', at(-1.5)) < below).toBe(true);
    expect(lowestIdAt('em', at(-0.9)) < below).toBe(false);
  });

  it('contains ids that were ahead after the clock was set back', () => {
    databaseClock.setSteps([{ setBackTo: NOW - 2 * HOUR_MS, aheadUntil: NOW + 48 * HOUR_MS }]);
    const { below } = idRange(page, { createdBefore: at(-1) });
    expect(lowestIdAt('em', at(48)) < below).toBe(true);
    expect(idRange(page, { createdBefore: at(-3) }).below).toBe(lowestIdAt('em', new Date(NOW - 3 * HOUR_MS + 60_000)));
  });
});
