import { reversed, type DnsAnswer } from '#libs/dns';
import type { Dnsbl } from './dnsbl-list.js';

export type DnsblAnswer =
  | { kind: 'listed'; codes: string[] }
  | { kind: 'clean' }
  /** The list refuses our name server or is out of service. */
  | { kind: 'unusable'; reason: string };

type QueryAddresses = (name: string) => Promise<DnsAnswer>;

/** RFC 5782 §5: the entry that must be listed, and the one that must not. */
const TEST_ENTRIES = { addresses: ['127.0.0.2', '127.0.0.1'], domains: ['test', 'invalid'] } as const;
/** The return codes of Spamhaus and others for a refused query; they do not denote an entry. */
const REFUSAL = /^127\.255\.255\./;
const REFUSAL_REASONS: Readonly<Record<string, string>> = {
  '127.255.255.252': 'the name of its zone is mistyped (127.255.255.252)',
  '127.255.255.254': 'it does not answer shared resolvers (127.255.255.254)',
  '127.255.255.255': 'it received too many queries from our name server (127.255.255.255)',
};

/** Queries the test entries through our name servers. Null: the answers of the list can be trusted; else the reason. */
export async function testDnsbl(list: Dnsbl, query: QueryAddresses): Promise<string | null> {
  const [listedEntry, cleanEntry] = TEST_ENTRIES[list.lists];
  const [listed, clean] = await Promise.all([
    queryDnsbl(list, list.testEntry ?? listedEntry, query),
    queryDnsbl(list, cleanEntry, query),
  ]);
  if (listed.kind === 'unusable') return listed.reason;
  if (listed.kind === 'clean') return 'its test entry is not there';
  return clean.kind === 'listed' ? 'it lists what is never listed (RFC 5782 §5)' : null;
}

/** @param subject an IP address or a domain, as `list.lists` says */
export async function queryDnsbl(list: Dnsbl, subject: string, query: QueryAddresses): Promise<DnsblAnswer> {
  const name = list.lists === 'domains' ? subject : reversed.labels(subject);
  const answer = await query(`${name}.${list.zone}`);
  if (answer.kind === 'no_answer') return { kind: 'unusable', reason: answer.reason };
  if (answer.kind === 'none') return { kind: 'clean' };
  const refusal = answer.values.find((code) => REFUSAL.test(code));
  if (refusal !== undefined)
    return { kind: 'unusable', reason: REFUSAL_REASONS[refusal] ?? `it refuses our name server (${refusal})` };
  const codes = answer.values.filter((code) => code.startsWith('127.'));
  // An address outside 127.0.0.0/8 comes from a server that answers every name, such as a parked zone.
  return codes.length > 0
    ? { kind: 'listed', codes }
    : { kind: 'unusable', reason: `${answer.values[0]} is no answer of a list` };
}
