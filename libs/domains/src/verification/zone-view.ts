import type { DnsServer } from './dns-server.js';
import type { DnsSession } from './dns-session.js';
import { ownServers } from './own-servers.js';

/** Where to ask about a domain. */
export interface ZoneView {
  /** Asked one after the other until one has the record: a secondary may be behind, a cache old. */
  servers: DnsServer[];
  /** The zone that the first servers hold; empty: they answer for every name. */
  apex: string;
  /** Answers for every name. */
  resolver: DnsServer;
}

/**
 * The zone's own name servers, because caches keep saying for up to an hour that a record is not there. Behind them the
 * resolvers of this machine, which follow aliases and delegations that lead out of the zone. With `dnsServers`
 * (DNS_SERVERS) those are asked and nothing else.
 */
export async function zoneView(domain: string, dnsServers: readonly string[], session: DnsSession): Promise<ZoneView> {
  const resolver = session.server(dnsServers);
  if (dnsServers.length > 0) {
    const servers = dnsServers.length === 1 ? [resolver] : dnsServers.map((address) => session.server([address]));
    return { servers, apex: '', resolver };
  }
  const { apex, addresses } = await ownServers(domain, resolver);
  return { servers: [...addresses.map((address) => session.server([address], 'zone')), resolver], apex, resolver };
}
