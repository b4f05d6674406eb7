import { domainToASCII } from 'node:url';

/** An address as it goes over the wire: the domain as A-labels, the local part as it came. */
export interface WireAddress {
  text: string;
  /** Lower-case A-label domain; '' when there is none. */
  domain: string;
  /** The local part is not ASCII: only a peer with SMTPUTF8 can take it (RFC 6531). */
  needsUtf8: boolean;
}

// A line end, NUL or a bracket in an address would become a command of its own.
const FORBIDDEN = /[\u0000-\u001f\u007f]/;
const FORBIDDEN_UNQUOTED = /[<>\s]/;
const PLAIN_DOMAIN = /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/;
const ASCII = /^[\u0000-\u007f]*$/;

/** Null for what cannot be put on the wire at all. */
export function toWireAddress(address: string): WireAddress | null {
  const at = address.lastIndexOf('@');
  if (at < 1 || FORBIDDEN.test(address)) return null;
  const local = address.slice(0, at);
  if (!local.startsWith('"') && FORBIDDEN_UNQUOTED.test(local)) return null;
  const domain = toALabels(address.slice(at + 1));
  if (domain === '' || FORBIDDEN_UNQUOTED.test(domain)) return null;
  return { text: `${local}@${domain}`, domain, needsUtf8: !ASCII.test(local) };
}

/** '' for what is no domain. Plain lower-case names, nearly all, are spared the IDNA tables. */
function toALabels(domain: string): string {
  return PLAIN_DOMAIN.test(domain) ? domain : domainToASCII(domain).toLowerCase();
}
