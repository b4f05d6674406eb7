import { describe, expect, it } from 'vitest';
import { limitedNetwork } from './limited-network.js';
import { maskedAddress } from './masked-address.js';

describe('limitedNetwork', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:ffff::6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::5:6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => expect(limitedNetwork(address)).toBe(network));
});

describe('maskedAddress', () => {
  it.each([
    ['ada@example.com', 'a…@example.com'],
    ['a@example.com', 'a…@example.com'],
    ['😀x@example.com', '😀…@example.com'],
  ])('of %s is %s', (address, masked) => expect(maskedAddress(address)).toBe(masked));
});
