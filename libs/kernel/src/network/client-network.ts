import { isIPv6 } from 'node:net';

const GROUPS = 8;
/** Of a text that is no address. */
const MAX_LENGTH = 64;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address, which is usually assigned as a
 * whole (RFC 6177).
 */
export function clientNetwork(address: string): string {
  const plain = MAPPED.exec(address)?.[1] ?? address;
  if (!isIPv6(plain)) return plain.slice(0, MAX_LENGTH);
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

/** An IPv4 tail counts as two groups of any value: it is never among the first four groups. */
function groups(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
