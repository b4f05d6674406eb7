import ipaddr from 'ipaddr.js';
import { getDomain } from 'tldts';

/** Lower case, without the final dot. */
export function canonicalName(name: string): string {
  return name.replace(/\.$/, '').toLowerCase();
}

/** The name below which the PTR records of an address are (RFC 1035 §3.5, RFC 3596 §2.5). */
export function reverseName(address: string): string {
  return `${reversedAddress(address)}.${ipaddr.parse(address).kind() === 'ipv4' ? 'in-addr' : 'ip6'}.arpa`;
}

/** An address in the form in which DNS lists are queried (RFC 5782 §2): octets, or nibbles of IPv6, in reverse order. */
export function reversedAddress(address: string): string {
  const parsed = ipaddr.parse(address);
  const bytes = parsed.toByteArray();
  const parts =
    parsed.kind() === 'ipv4' ? bytes.map(String) : bytes.flatMap((byte) => [...byte.toString(16).padStart(2, '0')]);
  return parts.toReversed().join('.');
}

/** The domain and its parents up to the registered one; registries are not queried. */
export function zonesAbove(domain: string): string[] {
  const labels = domain.split('.');
  const registered = getDomain(domain, { allowPrivateDomains: true })?.split('.').length ?? labels.length;
  return labels.slice(0, labels.length - registered + 1).map((_, i) => labels.slice(i).join('.'));
}

/** The forms of an address in reverse order. */
export const reversed = { labels: reversedAddress, name: reverseName };
