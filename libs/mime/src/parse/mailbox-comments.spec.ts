import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { readAddressEntry, splitAddressList } from './address-list.js';
import { parseMailbox, parseRecipient } from './mailbox.js';

const read = (text: string) => parseRecipient(text, { comments: 'read' });
const ADDRESS = 'a@example.com';

describe('a mailbox with comments (RFC 5322 section 3.2.2)', () => {
  it.each([
    ['Shop (Sales) <a@example.com>', 'Shop (Sales)'],
    ['(Sales) Shop <a@example.com>', 'Shop (Sales)'],
    ['<a@example.com> (Sales)', 'Sales'],
    ['Shop <a@example.com> (Sales)', 'Shop (Sales)'],
    ['a@example.com (Sales)', 'Sales'],
    ['(Sales) a@example.com', 'Sales'],
    ['a@example.com(Sales)', 'Sales'],
    ['"Shop, Inc." (Sales) <a@example.com>', 'Shop, Inc. (Sales)'],
    ['"Shop (Sales)" <a@example.com>', 'Shop (Sales)'],
    ['John (Q.) Public <a@example.com>', 'John Public (Q.)'],
    ['Shop(Sales)<a@example.com>', 'Shop (Sales)'],
    ['Shop (Sales (EU)) <a@example.com>', 'Shop (Sales (EU))'],
    ['Shop (a \\) b \\( c \\\\ d) <a@example.com>', 'Shop (a ) b ( c \\ d)'],
    ['Shop (Sales) (EU) <a@example.com>', 'Shop (Sales) (EU)'],
    ['(one) a@example.com (two)', 'one two'],
    ['Shop (Sales, Berlin; Tel: 1) <a@example.com>', 'Shop (Sales, Berlin; Tel: 1)'],
    ['Größe (Vertrieb für Köln) <a@example.com>', 'Größe (Vertrieb für Köln)'],
    ['Shop () <a@example.com>', 'Shop'],
    ['a@example.com ( )', ''],
  ])('%j has the name %j', (text, name) => {
    expect(read(text)).toEqual({ address: ADDRESS, name });
    expect(parseMailbox(text, { comments: 'read' })).toEqual({ address: ADDRESS, name });
  });

  it.each([
    'a@ok.example (x) <e@evil.example>',
    'a@example.com (x) e@evil.example',
    'a@example.com (x), e@evil.example',
    'Shop (e@evil.example) <a@example.com>',
    'Shop (<e>) <a@example.com>',
    'Shop (\\<e\\@evil.example\\>) <a@example.com>',
    'a@example.com ("x) <e@evil.example> (")',
    '"e@evil.example" (") <a@example.com>',
    'a@example.com (=?utf-8?q?e=40evil.example?=)',
    'a@example.com (=?utf-8?b?PGVAZXZpbD4=?=)',
    'a@example.com (=?utf-8?q?x=29_y?=)',
    'a@example.com (=?utf-8?b?)eA==?=)',
    'Shop (Sales <a@example.com>',
    'Shop Sales) <a@example.com>',
    'Shop (Sales\\) <a@example.com>',
    'Shop (Sa(les) <a@example.com>',
    'a(x)@example.com',
    'a@example(x).com',
    'a@(x)example.com',
    '<a@example.com(x)>',
    '<(x)a@example.com>',
    'Shop <a@example.com (x)>',
    'a (x) b@example.com',
    '(Sales)',
    '(a@example.com)',
    'Friends (x): a@example.com;',
    '(x',
    'Shop (\u202ex) <a@example.com>',
    'Shop (x\r\n) <a@example.com>',
  ])('%j is refused', (text) => {
    expect(read(text)).toHaveProperty('problem');
  });

  it('is refused where an address alone is wanted', () => {
    for (const text of ['Shop (Sales) <a@example.com>', 'a@example.com (x)']) {
      expect(parseRecipient(text)).toHaveProperty('problem');
      expect(parseMailbox(text)).toHaveProperty('problem');
    }
  });

  it('never has another address than the same text without its comments', () => {
    const piece = fc.constantFrom('(', ')', '<', '>', '@', ',', ' ', '\\', 'e@evil.example', 'x', '=?utf-8?q?=40?=');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.array(piece, { maxLength: 8 }), (before, after) => {
        const found = read(`${before.join('')}<${ADDRESS}>${after.join('')}`);
        if ('address' in found) expect(found.address).toBe(ADDRESS);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(['(', '()', '(\\', ')(', '("', '<(', '(=?'])('of 10 MB of %j is read in linear time', (text) => {
    expect(mustReturn(() => read(text.repeat(5_000_000)))).toHaveProperty('problem');
  });
});

describe('comments in a list of addresses', () => {
  const mailboxes = (value: string) => splitAddressList(value).map(readAddressEntry);

  it('are names, and separate no entries', () => {
    expect(
      mailboxes('Shop (Sales, EU) <a@example.com>, <b@example.com> (Bo (B.)), c@example.com (=?utf-8?q?C=C3=A4?=)'),
    ).toEqual([
      { address: 'a@example.com', name: 'Shop (Sales, EU)' },
      { address: 'b@example.com', name: 'Bo (B.)' },
      { address: 'c@example.com', name: 'Cä' },
    ]);
    expect(mailboxes('Team: (x) a@example.com, (y; z) b@example.com;')).toEqual([
      { address: 'a@example.com', name: 'x' },
      { address: 'b@example.com', name: 'y; z' },
    ]);
  });

  it('never add an address', () => {
    expect(mailboxes('a@example.com (x, e@evil.example)')).toEqual([{ address: 'a@example.com', name: '' }]);
    expect(mailboxes('a@example.com (x, e@evil.example')).toEqual([{ address: 'a@example.com', name: '' }]);
  });
});
