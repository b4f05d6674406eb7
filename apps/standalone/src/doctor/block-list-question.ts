import type { DnsAnswer } from '#libs/domains';
import type { BlockList } from './block-list-catalogue.js';
import { reversed } from '#libs/mta';

export type Listing =
  | { kind: 'listed'; codes: string[] }
  | { kind: 'clean' }
  /** The list does not talk to our name server, or to nobody: what it says means nothing. */
  | { kind: 'mute'; reason: string };

type AskAddresses = (name: string) => Promise<DnsAnswer>;

/** RFC 5782 §5: always listed, and never. */
const TEST_ENTRIES = { addresses: ['127.0.0.2', '127.0.0.1'], domains: ['test', 'invalid'] } as const;
/** Spamhaus and others answer so for: mistyped zones, shared resolvers, too many questions. No entry at all. */
const REFUSAL = /^127\.255\.255\./;

/** Whether a list can be believed through our name servers; a text says why not. */
export async function trialOf(list: BlockList, ask: AskAddresses): Promise<string | null> {
  const [always, never] = TEST_ENTRIES[list.of];
  const [listed, clean] = await Promise.all([
    isListed(list, list.testEntry ?? always, ask),
    isListed(list, never, ask),
  ]);
  if (listed.kind === 'mute') return listed.reason;
  if (listed.kind === 'clean') return 'its test entry is not there';
  return clean.kind === 'listed' ? 'it lists what is never listed (RFC 5782 §5)' : null;
}

/** @param subject an IP address, or a domain where the list is of those */
export async function isListed(list: BlockList, subject: string, ask: AskAddresses): Promise<Listing> {
  const name = list.of === 'domains' ? subject : reversed(subject);
  const answer = await ask(`${name}.${list.zone}`);
  if (answer.kind === 'no_answer') return { kind: 'mute', reason: answer.reason };
  if (answer.kind === 'none') return { kind: 'clean' };
  const refusal = answer.values.find((code) => REFUSAL.test(code));
  if (refusal !== undefined)
    return { kind: 'mute', reason: REFUSALS[refusal] ?? `it refuses our name server (${refusal})` };
  const codes = answer.values.filter((code) => code.startsWith('127.'));
  // Anything else comes from somebody who answers every name, not from the list.
  return codes.length > 0
    ? { kind: 'listed', codes }
    : { kind: 'mute', reason: `${answer.values[0]} is no answer of a list` };
}

const REFUSALS: Readonly<Record<string, string>> = {
  '127.255.255.252': 'the name of its zone is mistyped (127.255.255.252)',
  '127.255.255.254': 'it does not answer shared resolvers (127.255.255.254)',
  '127.255.255.255': 'it was asked too often from our name server (127.255.255.255)',
};
