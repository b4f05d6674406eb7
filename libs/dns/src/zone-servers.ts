import { isPublicAddress } from '#libs/kernel';
import { zonesAbove } from './dns-name.js';
import type { UncachedResolver } from './uncached-resolver.js';

const MAX_NAME_SERVERS = 4;
/** Name servers queried in one check. */
const MAX_ADDRESSES = 2;

/** The zone that contains a domain, and the addresses (`ip:53`) of some of its name servers; none where unknown. */
export async function zoneServers(
  domain: string,
  resolver: UncachedResolver,
): Promise<{ apex: string; addresses: string[] }> {
  for (const apex of zonesAbove(domain)) {
    const answer = await resolver.nameServers(apex);
    if (answer.kind !== 'found') continue;
    const found = await Promise.all(
      shuffled(answer.values)
        .slice(0, MAX_NAME_SERVERS)
        .map((name) => resolver.addresses(name)),
    );
    // The owner of the zone chooses these addresses: none may lead into our own network.
    const addresses = found.map((all) => all.find(isPublicAddress)).filter((address) => address !== undefined);
    return { apex, addresses: addresses.slice(0, MAX_ADDRESSES).map(withPort) };
  }
  return { apex: '', addresses: [] };
}

const withPort = (address: string): string => (address.includes(':') ? `[${address}]:53` : `${address}:53`);

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
