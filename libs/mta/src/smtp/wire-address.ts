import { domainToASCII } from 'node:url';

/** An address as it is sent: the domain in A-labels, the local part unchanged. */
export interface WireAddress {
  text: string;
  /** Lower-case A-label domain; '' if there is none. */
  domain: string;
  /** The local part is not ASCII, so the server must support SMTPUTF8 (RFC 6531). */
  needsUtf8: boolean;
}

// A line end or NUL in an address would start another command, a bracket another parameter.
const CONTROL = /\p{Cc}/u;
const QUOTED = /^"(?:[^"\\]|\\.)*"$/;
const UNSAFE = /[<>\s]/;
const PLAIN_LOCAL = /^[\w!#$%&'*+\-/=?^`{|}~.]+$/;
const PLAIN_DOMAIN = /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/;
const ASCII = /^\p{ASCII}*$/u;

/** Null if the address cannot be sent at all. */
export function toWireAddress(address: string): WireAddress | null {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const host = address.slice(at + 1);
  // Nearly all addresses are plain, and skip Unicode and IDNA processing.
  if (at > 0 && PLAIN_LOCAL.test(local) && PLAIN_DOMAIN.test(host))
    return { text: address, domain: host, needsUtf8: false };
  if (at < 1 || CONTROL.test(address)) return null;
  if (UNSAFE.test(local) && !QUOTED.test(local)) return null;
  const domain = domainToASCII(host).toLowerCase();
  if (domain === '' || UNSAFE.test(domain)) return null;
  return { text: `${local}@${domain}`, domain, needsUtf8: !ASCII.test(local) };
}
