import type { UncachedResolver } from './uncached-resolver.js';
import type { DnsSession } from './dns-session.js';
import { zoneServers } from './zone-servers.js';

/** The servers to query about a domain. */
export interface ZoneView {
  /** Queried one after the other until one has the record: a secondary may lag behind, a cache may be stale. */
  servers: UncachedResolver[];
  /** The zone that the first servers are authoritative for; empty: they answer for every name. */
  apex: string;
  /** Answers for every name. */
  resolver: UncachedResolver;
}

/**
 * The zone's own name servers, because caches may report a new record as missing for up to an hour; then the resolvers of
 * this machine, which follow aliases and delegations that lead out of the zone. With `dnsServers` (DNS_SERVERS) only
 * those are queried.
 */
export async function zoneView(domain: string, dnsServers: readonly string[], session: DnsSession): Promise<ZoneView> {
  const resolver = session.resolver(dnsServers);
  if (dnsServers.length > 0) {
    const servers = dnsServers.length === 1 ? [resolver] : dnsServers.map((address) => session.resolver([address]));
    return { servers, apex: '', resolver };
  }
  const { apex, addresses } = await zoneServers(domain, resolver);
  return { servers: [...addresses.map((address) => session.resolver([address], 'zone')), resolver], apex, resolver };
}
