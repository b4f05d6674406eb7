import { isIPv6 } from 'node:net';

const GROUPS = 8;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * What counts as one client where clients are counted: an IPv4 address, or the /64 of an IPv6 address, since whoever has
 * one address there usually has all of them (RFC 6177).
 */
export function networkOf(address: string): string {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  if (!isIPv6(plain)) return plain;
  const [head, tail] = plain.split('%')[0].split('::');
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array<string>(GROUPS - before.length - after.length).fill('0');
  const all = tail === undefined ? before : [...before, ...zeros, ...after];
  return `${all
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** An IPv4 tail takes two groups; which ones does not matter, it is never in the first four of a compressed address. */
function groups(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
