import type { DnsAnswer, UncachedResolver } from '#libs/dns';
import type { SigningKey } from '../dkim/key-ring.js';
import { judgeDkim } from './dkim-rule.js';
import { judgeAnswer, type Outcome } from './judgement.js';

/** Number of aliases that are followed, like resolvers do. */
const ALIASES = 8;

interface ResolvedTexts {
  answer: DnsAnswer;
  /** The target of the aliases; null where there is none, or where the server followed them. */
  target: string | null;
}

/**
 * Judges the record of a DKIM key at `name` or at the target of its alias (CNAME).
 * @param server is queried about the name itself
 * @param resolver is queried about targets of aliases, which may be in any zone
 */
export async function judgeKeyRecord(
  name: string,
  { key, alias }: { key: SigningKey; alias: string },
  { server, resolver }: { server: UncachedResolver; resolver: UncachedResolver },
): Promise<Outcome> {
  const { answer, target } = await resolveTexts(name, server, resolver);
  const outcome = judgeAnswer(answer, (texts) => judgeDkim(texts, key));
  if (outcome.verdict === 'verified' || outcome.verdict === 'unanswered') return outcome;
  const found = target ?? (await firstAlias(name, server));
  if (found === null) return outcome;
  if (found !== alias)
    return {
      ...outcome,
      observed: [found, ...outcome.observed],
      error: `The alias (CNAME) leads to ${found}. Let it lead to ${alias}, or publish the TXT record.`,
    };
  return {
    ...outcome,
    observed: [found, ...outcome.observed],
    error: `The alias (CNAME) is right, but the service has not published this key at ${alias} yet.`,
  };
}

/** An authoritative server may answer with the alias alone. Its target is then resolved here. */
async function resolveTexts(
  name: string,
  server: UncachedResolver,
  resolver: UncachedResolver,
): Promise<ResolvedTexts> {
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

async function firstAlias(name: string, server: UncachedResolver): Promise<string | null> {
  const answer = await server.aliases(name);
  return answer.kind === 'found' ? answer.values[0] : null;
}
