import { expect, it } from 'vitest';
import { reversedAddress, reverseName } from './dns-name.js';

it('reverse names have the octets in reverse order, or the nibbles of IPv6', () => {
  expect(reverseName('192.0.2.10')).toBe('10.2.0.192.in-addr.arpa');
  expect(reverseName('2001:db8::1')).toBe(`1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`);
  expect(reversedAddress('127.0.0.2')).toBe('2.0.0.127');
  expect(reversedAddress('2001:DB8:0::1')).toBe(reversedAddress('2001:db8::1'));
});
