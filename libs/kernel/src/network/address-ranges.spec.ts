import fc from 'fast-check';
import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import { AddressRanges } from './address-ranges.js';

describe('AddressRanges', () => {
  it.each([
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['192.0.2.7', '192.0.2.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.7/32'],
    ['::/0', '::/0'],
  ])('writes %s as %s', (text, normal) => {
    expect(AddressRanges.normalise(text)).toBe(normal);
  });

  it.each([
    '',
    '/',
    'localhost',
    '10.1/8',
    '010.0.0.0/8',
    '0x0a000000/8',
    '167772160',
    '10.1.2.3/8',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    ' 10.0.0.0/8',
    '10.0.0.0/8\n',
    '10.0.0.256',
    '2001:db8::1/32',
    '2001:db8::/129',
    'fe80::1%eth0',
    ':::',
    '*',
  ])('rejects %j', (text) => {
    expect(AddressRanges.normalise(text)).toBeNull();
    expect(() => new AddressRanges([text])).toThrow(/is not a network/);
  });

  it.each([
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['192.0.2.0/24', '::ffff:192.0.2.9', true],
    ['192.0.2.0/24', '::ffff:c000:209', true],
    ['::ffff:192.0.2.0/120', '192.0.2.9', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['::/0', '192.0.2.9', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['0.0.0.0/0', 'unknown', false],
    ['0.0.0.0/0', '', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
  ])('%s has %s: %s', (range, address, included) => {
    expect(new AddressRanges([range]).includes(address)).toBe(included);
  });

  it('agrees with the block list of Node.js for any network and address', () => {
    const network = fc.oneof(
      fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
      fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
    );
    fc.assert(
      fc.property(network, fc.oneof(fc.ipV4(), fc.ipV6()), ([base, prefix], address) => {
        const text = AddressRanges.normalise(`${base}/${prefix}`);
        fc.pre(text !== null && !text.startsWith('::ffff:') && !address.startsWith('::'));
        const family = base.includes(':') ? 'ipv6' : 'ipv4';
        const list = new BlockList();
        list.addSubnet(base, prefix, family);
        const same = address.includes(':') === (family === 'ipv6');
        expect(new AddressRanges([text]).includes(address)).toBe(
          same && list.check(address, address.includes(':') ? 'ipv6' : 'ipv4'),
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [['10.0.0.0/8'], ['10.1.0.0/16', '10.2.3.4'], true],
    [['10.0.0.0/8'], ['0.0.0.0/0'], false],
    [['10.0.0.0/8', '2001:db8::/32'], ['10.9.0.0/16', '2001:db8:1::/48'], true],
    [['10.0.0.0/8'], ['2001:db8::/32'], false],
    [['10.0.0.0/16'], ['10.0.0.0/8'], false],
    [['10.0.0.0/8'], [], true],
  ])('%j covers %j: %s', (outer, inner, covered) => {
    expect(new AddressRanges(outer).covers(new AddressRanges(inner))).toBe(covered);
  });
});
