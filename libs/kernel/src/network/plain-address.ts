import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address with an optional port; that of IPv6 with a port is in brackets (RFC 7239 section 6, RFC 3986 section 3.2.2). */
const WITH_PORT = /^(?:\[([^[\]]+)\]|([^:[\]]+))(?::\d{1,5})?$/;

/**
 * The canonical notation of an address that a proxy or a socket names: without a port, brackets, quotes and a zone, an
 * IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) as IPv4. Null for a text that is no address, such as `unknown`.
 */
export function plainAddress(text: string): string | null {
  const trimmed = text.trim().replace(/^"([^"]*)"$/, '$1');
  const [, bracketed, bare] = WITH_PORT.exec(trimmed) ?? [];
  const address = (bracketed ?? bare ?? trimmed).split('%', 1)[0];
  if (isIPv4(address)) return bracketed === undefined ? address : null;
  return isIPv6(address) ? ipaddr.process(address).toString() : null;
}
