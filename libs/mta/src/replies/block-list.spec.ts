import { expect, it } from 'vitest';
import { readBlockList } from './block-list.js';

it.each([
  ['554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org', 'zen.spamhaus.org'],
  ['Blocked - see https://www.spamcop.net/bl.shtml?192.0.2.1', 'spamcop.net'],
  ['550 5.7.1 [192.0.2.1] is listed at bl.spamcop.net.', 'bl.spamcop.net'],
  ['554 Your IP 192.0.2.1 found in dnsbl.example.net', 'dnsbl.example.net'],
  ['550 mx.example.com: 192.0.2.1 is on the block list of Spamhaus (PBL)', 'Spamhaus'],
  ['554 rejected by mx1.example.com, see b.barracudacentral.org', 'b.barracudacentral.org'],
])('reads the list from "%s"', (reply, list) => {
  expect(readBlockList(reply)).toBe(list);
});

it.each(['554 5.7.1 Your IP 192.0.2.1 is on our blocklist', '', '421 4.3.2 mx.example.com is busy', '...'])(
  'finds none in "%s"',
  (reply) => {
    expect(readBlockList(reply)).toBeNull();
  },
);
