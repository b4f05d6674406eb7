import ipaddr from 'ipaddr.js';

/** Whether two texts are one address: IPv6 has many ways of writing. */
export const isSameAddress = (one: string, other: string): boolean =>
  ipaddr.parse(one).toNormalizedString() === ipaddr.parse(other).toNormalizedString();
