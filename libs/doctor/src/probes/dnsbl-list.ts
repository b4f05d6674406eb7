/** A DNS block list. */
export interface Dnsbl {
  name: string;
  zone: string;
  lists: 'addresses' | 'domains';
  /** `severe`: large receivers reject by it. `minor`: few do, and entries often expire. */
  weight: 'severe' | 'minor';
  supportsIpv6: boolean;
  /** The test entry, where it is not the one of RFC 5782 §5. */
  testEntry?: string;
  /** The page that explains an entry and takes removal requests. */
  url: string;
  /** Meanings of return codes, where they affect the fix. */
  meanings?: Readonly<Record<string, string>>;
}

/**
 * Block lists that receivers use, that may be queried freely from one's own resolver, and that have the test entries of
 * RFC 5782 §5.
 */
export const DNSBLS: readonly Dnsbl[] = [
  {
    name: 'Spamhaus ZEN',
    zone: 'zen.spamhaus.org',
    lists: 'addresses',
    weight: 'severe',
    supportsIpv6: true,
    url: 'https://check.spamhaus.org/',
    meanings: {
      '127.0.0.2': 'SBL: it belongs to a known sender of spam',
      '127.0.0.3': 'CSS: it sent mail that looks like spam',
      '127.0.0.4': 'XBL: a host at this address is infected or abused',
      '127.0.0.10': 'PBL: its provider declares that it sends no mail; request its removal on that page',
      '127.0.0.11': 'PBL: it is in a range that is not meant to send mail; request its removal on that page',
    },
  },
  {
    name: 'Barracuda',
    zone: 'b.barracudacentral.org',
    lists: 'addresses',
    weight: 'severe',
    supportsIpv6: false,
    url: 'https://www.barracudacentral.org/rbl/removal-request',
  },
  {
    name: 'SpamCop',
    zone: 'bl.spamcop.net',
    lists: 'addresses',
    weight: 'severe',
    supportsIpv6: false,
    url: 'https://www.spamcop.net/bl.shtml',
  },
  {
    name: 'PSBL',
    zone: 'psbl.surriel.com',
    lists: 'addresses',
    weight: 'minor',
    supportsIpv6: false,
    url: 'https://psbl.org/remove',
  },
  {
    name: 'UCEPROTECT level 1',
    zone: 'dnsbl-1.uceprotect.net',
    lists: 'addresses',
    weight: 'minor',
    supportsIpv6: false,
    url: 'https://www.uceprotect.net/en/rblcheck.php',
  },
  {
    name: 'Mailspike',
    zone: 'bl.mailspike.net',
    lists: 'addresses',
    weight: 'minor',
    supportsIpv6: false,
    url: 'https://mailspike.org/iplookup.html',
  },
  {
    name: 'Spamhaus DBL',
    zone: 'dbl.spamhaus.org',
    testEntry: 'dbltest.com',
    lists: 'domains',
    weight: 'severe',
    supportsIpv6: false,
    url: 'https://check.spamhaus.org/',
  },
];
