import { domainToASCII } from 'node:url';

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** Host name rules (RFC 1123 §2.1) with at least two labels, the last not all digits (it would be an IPv4 address). */
const HOST_NAME = new RegExp(`^(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);
const MAX_LENGTH = 253;

/** True for a name in its stored form: lower-case A-labels without a final dot. */
export function isDomainName(name: string): boolean {
  return name.length <= MAX_LENGTH && HOST_NAME.test(name);
}

/** The stored form of a name as people write it (capitals, umlauts, a final dot), or null where it is no host name. */
export function normaliseDomainName(written: string): string | null {
  const bare = written.trim().replace(/\.$/, '');
  // domainToASCII would also take percent-encoding, ports and the like, as in the host part of a URL.
  if (bare.length > MAX_LENGTH || /[^\p{L}\p{M}\p{N}.-]/u.test(bare)) return null;
  const name = domainToASCII(bare);
  return isDomainName(name) ? name : null;
}
