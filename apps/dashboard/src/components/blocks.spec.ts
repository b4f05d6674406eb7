import { expect, it } from 'vitest';
import { byBlockList, refusalOf } from './blocks.ts';

it('puts the entries of a block list together, and leaves the others in their order', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((domain) => ({ domain, blockList: 'zen.spamhaus.org' }));
  const other = { domain: 'd', blockList: 'bl.spamcop.net' };
  const [free, last] = [
    { domain: 'e', blockList: null },
    { domain: 'f', blockList: null },
  ];
  expect(byBlockList([other, a, free, b, last, c])).toEqual({
    lists: [
      ['zen.spamhaus.org', [a, b, c]],
      ['bl.spamcop.net', [other]],
    ],
    others: [free, last],
  });
});

it('names the list', () => {
  expect(refusalOf('zen.spamhaus.org', 7)).toBe('7 queues refuse us: listed at zen.spamhaus.org');
  expect(refusalOf('zen.spamhaus.org', 2, 'domain')).toBe('2 domains refuse us: listed at zen.spamhaus.org');
  expect(refusalOf('the list of Microsoft', 1)).toBe('One queue refuses us: listed at the list of Microsoft');
});
