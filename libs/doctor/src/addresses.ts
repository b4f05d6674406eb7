import ipaddr from 'ipaddr.js';

/** Host names and addresses that only this machine can reach. */
export const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

/** Where a listener on `listenHost` is reached from this machine; one on all addresses is reached on loopback. */
export function reachableHost(listenHost: string): string {
  if (listenHost === '0.0.0.0' || listenHost === '') return '127.0.0.1';
  return listenHost === '::' ? '::1' : listenHost;
}

/** Whether two texts denote the same address; IPv6 addresses have several notations. */
export const isSameAddress = (one: string, other: string): boolean =>
  ipaddr.parse(one).toNormalizedString() === ipaddr.parse(other).toNormalizedString();

/** Lines of a zone file that give a name these addresses. */
export function addressRecords(name: string, addresses: readonly string[]): string {
  return addresses.map((address) => `${name}. ${address.includes(':') ? 'AAAA' : 'A'} ${address}`).join('\n');
}

/** The SPF mechanism for an address (RFC 7208 §5.6). */
export const spfTerm = (address: string): string => `${address.includes(':') ? 'ip6' : 'ip4'}:${address}`;
