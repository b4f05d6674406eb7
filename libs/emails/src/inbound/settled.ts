import { tooEarly, type Finding } from './finding.js';

/** The recipient's own delivery is not written down yet; `sending`: it is under way right now. */
export interface Unsettled {
  sending: boolean;
}

/** A settle gathers for some milliseconds; one that takes longer has a database that is in trouble. */
const WAIT_MS = 500;
const LOOK_EVERY_MS = 50;

/**
 * Some servers send their report before our own settle has committed `delivered`: looks again for a while, with no
 * transaction open in between, and then asks the other server to come again. Nothing is lost by either.
 * @throws Refusal
 */
export async function settled(look: () => Promise<Finding | Unsettled>): Promise<Finding> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const found = await look();
    if ('verdict' in found) return found;
    // Whoever waits for his next attempt has no outcome to be written down soon.
    if (!found.sending || performance.now() > deadline) throw tooEarly();
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
