import { isPublicAddress } from '#libs/kernel';
import { getDomain } from 'tldts';
import type { DnsServer } from './dns-server.js';

const NAME_SERVERS = 4;
/** Addresses of name servers asked in one check. */
const ASKED = 2;

/** The zone that a domain lies in, and the addresses (`ip:53`) of some name servers that hold it; none where unknown. */
export async function ownServers(domain: string, resolver: DnsServer): Promise<{ apex: string; addresses: string[] }> {
  for (const apex of zonesAbove(domain)) {
    const answer = await resolver.nameServers(apex);
    if (answer.kind !== 'found') continue;
    const found = await Promise.all(
      shuffled(answer.values)
        .slice(0, NAME_SERVERS)
        .map((name) => resolver.addresses(name)),
    );
    // Whoever holds a zone chooses these addresses: none may lead into our own network.
    const addresses = found.map((all) => all.find(isPublicAddress)).filter((address) => address !== undefined);
    return { apex, addresses: addresses.slice(0, ASKED).map(withPort) };
  }
  return { apex: '', addresses: [] };
}

/** The domain and its parents, down to the one that was registered; registries are not asked. */
function zonesAbove(domain: string): string[] {
  const labels = domain.split('.');
  const registered = getDomain(domain, { allowPrivateDomains: true })?.split('.').length ?? labels.length;
  return labels.slice(0, labels.length - registered + 1).map((_, i) => labels.slice(i).join('.'));
}

const withPort = (address: string): string => (address.includes(':') ? `[${address}]:53` : `${address}:53`);

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
