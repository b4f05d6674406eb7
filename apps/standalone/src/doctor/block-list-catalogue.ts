export interface BlockList {
  name: string;
  zone: string;
  /** What it lists. */
  of: 'addresses' | 'domains';
  /** `severe`: large receivers refuse by it. `minor`: few do, and entries often go by themselves. */
  weight: 'severe' | 'minor';
  /** IPv6 addresses may be asked for. */
  knowsIpv6: boolean;
  /** Always listed, where it is not the entry of RFC 5782 §5. */
  testEntry?: string;
  /** Where an entry is explained and removed. */
  page: string;
  /** What single answers mean, where that changes what to do. */
  meanings?: Readonly<Record<string, string>>;
}

/**
 * Lists that receivers really ask, may be asked by anybody from a resolver of one's own, and answer their test entries
 * (RFC 5782 §5). To add one, add a line.
 */
export const BLOCK_LISTS: readonly BlockList[] = [
  {
    name: 'Spamhaus ZEN',
    zone: 'zen.spamhaus.org',
    of: 'addresses',
    weight: 'severe',
    knowsIpv6: true,
    page: 'https://check.spamhaus.org/',
    meanings: {
      '127.0.0.2': 'SBL: its owner counts as a sender of spam',
      '127.0.0.3': 'CSS: it sent spam, or something that looks like it',
      '127.0.0.4': 'XBL: something on it is infected or abused',
      '127.0.0.10': 'PBL: its provider says that no mail comes from there; ask for its removal on the page',
      '127.0.0.11': 'PBL: such addresses are not meant to send mail; ask for its removal on the page',
    },
  },
  {
    name: 'Barracuda',
    zone: 'b.barracudacentral.org',
    of: 'addresses',
    weight: 'severe',
    knowsIpv6: false,
    page: 'https://www.barracudacentral.org/rbl/removal-request',
  },
  {
    name: 'SpamCop',
    zone: 'bl.spamcop.net',
    of: 'addresses',
    weight: 'severe',
    knowsIpv6: false,
    page: 'https://www.spamcop.net/bl.shtml',
  },
  {
    name: 'PSBL',
    zone: 'psbl.surriel.com',
    of: 'addresses',
    weight: 'minor',
    knowsIpv6: false,
    page: 'https://psbl.org/remove',
  },
  {
    name: 'UCEPROTECT level 1',
    zone: 'dnsbl-1.uceprotect.net',
    of: 'addresses',
    weight: 'minor',
    knowsIpv6: false,
    page: 'https://www.uceprotect.net/en/rblcheck.php',
  },
  {
    name: 'Mailspike',
    zone: 'bl.mailspike.net',
    of: 'addresses',
    weight: 'minor',
    knowsIpv6: false,
    page: 'https://mailspike.org/iplookup.html',
  },
  {
    name: 'Spamhaus DBL',
    zone: 'dbl.spamhaus.org',
    testEntry: 'dbltest.com',
    of: 'domains',
    weight: 'severe',
    knowsIpv6: false,
    page: 'https://check.spamhaus.org/',
  },
];
