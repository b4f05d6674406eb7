import { simulations, type Simulation } from '#libs/contracts';
import type { Config } from '#libs/kernel';
import { normaliseAddress } from '#libs/mime';

/**
 * Returns the simulated outcome of a recipient, or null if the message is sent. A test email is never sent: the
 * requested outcome has precedence, then the address, and every other address is delivered.
 */
export function simulatedOutcome(of: {
  address: string;
  serviceDomain: string;
  test: boolean;
  sandboxResult: string | null;
}): Simulation | null {
  const asked = of.test && of.sandboxResult !== null ? simulations.parse(of.sandboxResult) : null;
  const byAddress = () => simulations.ofAddress(normaliseAddress(of.address), of.serviceDomain);
  return asked ?? byAddress() ?? (of.test ? { result: 'delivered', delayMs: 0 } : null);
}

/** Simulated outcomes add no suppression. */
export const isSimulated = ({ test }: { test: boolean }, address: string, config: Config): boolean =>
  simulatedOutcome({ address, serviceDomain: config.settings.SERVICE_DOMAIN, test, sandboxResult: null }) !== null;

/** Recipients to whom nothing is sent. */
export const simulator = { outcome: simulatedOutcome, isSimulated };
