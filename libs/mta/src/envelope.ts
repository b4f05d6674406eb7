import { domainToASCII } from 'node:url';

/** An address as it goes over the wire: the domain as A-labels, the local part as it came. */
export interface WireAddress {
  text: string;
  /** Lower-case A-label domain; '' when there is none. */
  domain: string;
  /** The local part is not ASCII: only a peer with SMTPUTF8 can take it (RFC 6531). */
  needsUtf8: boolean;
}

// A line end or NUL in an address would become a command of its own, a bracket a parameter.
const CONTROL = /\p{Cc}/u;
const QUOTED = /^"(?:[^"\\]|\\.)*"$/;
const UNSAFE = /[<>\s]/;
const PLAIN_LOCAL = /^[\w!#$%&'*+\-/=?^`{|}~.]+$/;
const PLAIN_DOMAIN = /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/;
const ASCII = /^\p{ASCII}*$/u;

/** Null for what cannot be put on the wire at all. */
export function toWireAddress(address: string): WireAddress | null {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const host = address.slice(at + 1);
  // Nearly all are plain, and are spared the tables of Unicode and IDNA.
  if (at > 0 && PLAIN_LOCAL.test(local) && PLAIN_DOMAIN.test(host))
    return { text: address, domain: host, needsUtf8: false };
  if (at < 1 || CONTROL.test(address)) return null;
  if (UNSAFE.test(local) && !QUOTED.test(local)) return null;
  const domain = domainToASCII(host).toLowerCase();
  if (domain === '' || UNSAFE.test(domain)) return null;
  return { text: `${local}@${domain}`, domain, needsUtf8: !ASCII.test(local) };
}
