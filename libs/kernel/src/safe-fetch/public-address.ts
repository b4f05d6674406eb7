import ipaddr from 'ipaddr.js';

/** Azure's host node answers here with credentials of the machine; by range it looks like any public address. */
const AZURE_HOST = '168.63.129.16';
/** RFC 4291 §2.4 leaves more open, but only 2000::/3 has ever been given out as global unicast. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True for an IP address (not a name) that belongs to the public internet: an allow-list of "unicast", so that mapped,
 * translated (NAT64, 6to4, Teredo), documentation, benchmark and every private range are refused without being listed.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_V6) : parsed.toString() !== AZURE_HOST;
}
