import { createServer } from 'node:net';
import type { ThrottlingPlan } from '#libs/mta';

/** Source addresses that this machine cannot bind: every connection from them would fail. */
export async function foreignSources(plan: Pick<ThrottlingPlan, 'pools' | 'penaltyPool'>): Promise<string[]> {
  const addresses = [...new Set(sourcePools(plan).flatMap(({ sources }) => sources.map(({ address }) => address)))];
  const bindable = await Promise.all(addresses.map(isBindable));
  return addresses.filter((_, i) => !bindable[i]);
}

/** The ordinary pools and the penalty pool. */
export const sourcePools = ({ pools, penaltyPool }: Pick<ThrottlingPlan, 'pools' | 'penaltyPool'>) =>
  penaltyPool === null ? pools : [...pools, penaltyPool];

/**
 * Asks the kernel, which knows more than the list of interfaces: all of 127.0.0.0/8, and addresses that may be bound
 * before they are up.
 */
function isBindable(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port: 0 }, () => server.close(() => resolve(true)));
  });
}
