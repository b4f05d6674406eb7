import type { SigningKey } from '../dkim/key-ring.js';
import { judgeDkim } from './dkim-rule.js';
import type { DnsAnswer, DnsServer } from './dns-server.js';
import { judged, type Outcome } from './judgement.js';

/** Resolvers follow a few aliases and then give up; so does this. */
const ALIASES = 8;

interface Followed {
  answer: DnsAnswer;
  /** Where the aliases lead; null where there is none, or they were followed unseen. */
  target: string | null;
}

/**
 * The record of a DKIM key at `name`, or where an alias (CNAME) there leads.
 * @param server asked about the name itself
 * @param resolver asked about what aliases lead to, which may lie in any zone
 */
export async function judgeKeyRecord(
  name: string,
  { key, alias }: { key: SigningKey; alias: string },
  { server, resolver }: { server: DnsServer; resolver: DnsServer },
): Promise<Outcome> {
  const { answer, target } = await followed(name, server, resolver);
  const outcome = judged(answer, (texts) => judgeDkim(texts, key));
  if (outcome.verdict === 'verified' || outcome.verdict === 'unanswered') return outcome;
  const seen = target ?? (await firstAlias(name, server));
  if (seen === null) return outcome;
  if (seen !== alias)
    return {
      ...outcome,
      observed: [seen, ...outcome.observed],
      error: `The alias (CNAME) leads to ${seen}. Let it lead to ${alias}, or publish the TXT record.`,
    };
  return {
    ...outcome,
    observed: [seen, ...outcome.observed],
    error: `The alias (CNAME) is right, but the service has not published this key at ${alias} yet.`,
  };
}

/** A server that holds nothing but its zone may answer with the alias alone; then the rest of the way is ours. */
async function followed(name: string, server: DnsServer, resolver: DnsServer): Promise<Followed> {
  let answer = await server.texts(name);
  let target: string | null = null;
  for (let hops = 0; answer.kind === 'none' && hops < ALIASES; hops += 1) {
    const next = await firstAlias(target ?? name, target === null ? server : resolver);
    if (next === null) break;
    target = next;
    answer = await resolver.texts(target);
  }
  return { answer, target };
}

async function firstAlias(name: string, server: DnsServer): Promise<string | null> {
  const answer = await server.aliases(name);
  return answer.kind === 'found' ? answer.values[0] : null;
}
