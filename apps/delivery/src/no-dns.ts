import type { Obstacle } from '#libs/mta';

const SOONEST_MS = 5_000;
const LATEST_MS = 15_000;

/** Where mail stays while none of our name servers answers: back for some seconds, not all of it to the same moment. */
export function noDns(queue: string, outage: string): Obstacle {
  return {
    until: new Date(Date.now() + SOONEST_MS + Math.random() * (LATEST_MS - SOONEST_MS)),
    reason: { kind: 'dns', queue, source: null, text: outage, words: null, mx: null },
  };
}
