import ipaddr from 'ipaddr.js';

/** The name below which the PTR record of an address stands (RFC 1035 §3.5, RFC 3596 §2.5). */
export function reverseName(address: string): string {
  return `${reversed(address)}.${ipaddr.parse(address).kind() === 'ipv4' ? 'in-addr' : 'ip6'}.arpa`;
}

/** An address as lists in DNS are asked for it (RFC 5782 §2): octets, or half-octets of IPv6, the last one first. */
export function reversed(address: string): string {
  const parsed = ipaddr.parse(address);
  const bytes = parsed.toByteArray();
  const parts =
    parsed.kind() === 'ipv4' ? bytes.map(String) : bytes.flatMap((byte) => [...byte.toString(16).padStart(2, '0')]);
  return parts.toReversed().join('.');
}
