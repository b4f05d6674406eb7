import type { UncachedResolver, ZoneView } from '#libs/dns';
import { getDomain } from 'tldts';
import type { ExpectedRecord, Slot } from '../model/expected-records.js';
import { countSpfLookups, lookupTerms, SPF_LOOKUPS } from '../spf/spf-lookups.js';
import { reachesInclude } from '../spf/spf-nested.js';
import { judgeSpf } from '../spf/spf-rule.js';
import { readTagList } from './dkim-rule.js';
import { walkDmarc } from './dmarc-rule.js';
import { judgeAnswer, missing, verified, wrong, type Judgement, type Outcome } from './judgement.js';
import { judgeKeyRecord } from './key-record.js';

const NO_SERVER: Outcome = { verdict: 'unanswered', error: 'there is no name server' };
const RANK: Record<Outcome['verdict'], number> = { unanswered: 0, missing: 1, wrong: 2, verified: 3 };

/**
 * Checks all records of a domain concurrently. The most favourable answer of the servers counts, but for a next key the
 * least favourable one: receivers may query any server.
 */
export class RecordCheck {
  constructor(
    private readonly name: string,
    private readonly serviceDomain: string,
    private readonly zone: ZoneView,
  ) {}

  async run(expected: readonly ExpectedRecord[]): Promise<Map<Slot, Outcome>> {
    const outcomes = expected.map(async (record) => [record.slot, await this.checkRecord(record)] as const);
    return new Map(await Promise.all(outcomes));
  }

  private async checkRecord(record: ExpectedRecord): Promise<Outcome> {
    const isNext = record.dkim?.key.state === 'next';
    const best = isNext ? await this.leastFavourable(record) : await this.mostFavourable(record);
    if (record.record === 'SPF') return this.withLookups(best);
    return best.verdict === 'missing' ? this.withHint(record, best) : best;
  }

  private async mostFavourable(record: ExpectedRecord): Promise<Outcome> {
    let best: Outcome = NO_SERVER;
    let last: Outcome = best;
    for (const server of this.zone.servers) {
      last = await this.judge(record, record.name, server);
      if (RANK[last.verdict] > RANK[best.verdict] || best.verdict === 'unanswered') best = last;
      if (last.verdict === 'verified') return last;
    }
    // The servers of a zone do not know delegated zones, so the resolver has to confirm that a record is missing.
    const confirmed = this.zone.apex === '' || last.verdict !== 'unanswered';
    return best.verdict === 'missing' && !confirmed ? last : best;
  }

  private async leastFavourable(record: ExpectedRecord): Promise<Outcome> {
    const outcomes = await Promise.all(this.zone.servers.map((server) => this.judge(record, record.name, server)));
    const isDelegated = this.zone.apex !== '' && outcomes.slice(0, -1).every(({ verdict }) => verdict === 'missing');
    const answered = outcomes
      .slice(isDelegated ? -1 : 0)
      .filter(({ verdict }) => verdict !== 'unanswered')
      .toSorted((a, b) => RANK[a.verdict] - RANK[b.verdict]);
    return answered.at(0) ?? outcomes.at(-1) ?? NO_SERVER;
  }

  private async judge(record: ExpectedRecord, name: string, server: UncachedResolver): Promise<Outcome> {
    if (record.dkim) return judgeKeyRecord(name, record.dkim, { server, resolver: this.zone.resolver });
    switch (record.record) {
      case 'SPF':
        return this.judgeSpfRecord(name, server);
      case 'DMARC':
        return walkDmarc(name.slice('_dmarc.'.length), (at) => this.serverFor(at, server).texts(at));
      case 'TLS-RPT':
        return judgeAnswer(await server.texts(name), judgeTlsRpt);
      case 'DKIM':
      case 'Return-Path':
      case 'Tracking':
        return judgeAnswer(await server.aliases(name), (targets) => judgeAlias(targets, record.value));
    }
  }

  /** Our include may stand in a record that the domain's own record refers to. */
  private async judgeSpfRecord(name: string, server: UncachedResolver): Promise<Outcome> {
    const ours = `spf.${this.serviceDomain}`;
    const answer = await server.texts(name);
    const outcome = judgeAnswer(answer, (texts) => judgeSpf(texts, ours));
    if (outcome.verdict !== 'wrong' || answer.kind !== 'found') return outcome;
    const reach = await reachesInclude(answer.values, ours, (at) => this.serverFor(at, server).texts(at));
    if (reach === 'not_reached') return outcome;
    if (reach !== 'reached') return { verdict: 'unanswered', error: reach.unanswered };
    return { ...verified(outcome.observed), value: outcome.observed[0] };
  }

  /** Parents of the domain may be in another zone, which its servers do not serve. */
  private serverFor(name: string, server: UncachedResolver): UncachedResolver {
    const { apex, resolver } = this.zone;
    return apex === '' || name.endsWith(`.${apex}`) ? server : resolver;
  }

  private async withLookups(outcome: Outcome): Promise<Outcome> {
    if (outcome.verdict === 'unanswered' || outcome.value === undefined) return outcome;
    const lookups = await countSpfLookups(outcome.value, async (name) => {
      const answer = await this.zone.resolver.texts(name);
      return answer.kind === 'found' ? answer.values : [];
    });
    if (lookups <= SPF_LOOKUPS) return outcome;
    const warning = `The record costs receivers more than ${SPF_LOOKUPS} look-ups, so they give up on it (RFC 7208 §4.6.4). Remove includes that you no longer use.`;
    const costly = lookupTerms(outcome.value, `spf.${this.serviceDomain}`);
    return { ...outcome, error: outcome.error === null ? warning : `${outcome.error} ${warning}`, costly };
  }

  /** Many DNS panels append the zone to the name that is entered. */
  private async withHint(record: ExpectedRecord, outcome: Judgement): Promise<Outcome> {
    const registered = getDomain(this.name, { allowPrivateDomains: true }) ?? this.name;
    const doubled = `${record.name}.${registered}`;
    const { verdict } = await this.judge(record, doubled, this.zone.servers[0]);
    if (verdict !== 'verified') return outcome;
    const short = record.name.slice(0, -registered.length - 1);
    return {
      ...outcome,
      error: `The record stands at ${doubled}: your DNS provider appends ${registered} by itself. Enter only ${short} as its name.`,
    };
  }
}

/** An alias (CNAME), which must point to `target`. */
function judgeAlias(targets: readonly string[], target: string): Judgement {
  if (targets.length === 0) return missing('There is no CNAME record with this name yet. Add it if you want this.');
  if (targets.length === 1 && targets[0] === target) return verified([target]);
  return wrong([...targets], `The record leads to ${targets.join(', ')}. Let it lead to ${target}.`);
}

/** TLS reporting (RFC 8460 §3): any valid policy is accepted. @param texts every TXT record of the name, strings joined */
function judgeTlsRpt(texts: readonly string[]): Judgement {
  const records = texts.filter((text) => text.startsWith('v=TLSRPTv1;'));
  if (records.length === 0) return missing('There is no such record yet. Add it if you want reports about encryption.');
  if (records.length > 1) return wrong(records, 'There is more than one TLS reporting record. Keep only one.');
  return /^(?:mailto|https):\S/.test(readTagList(records[0])?.get('rua') ?? '')
    ? verified(records)
    : wrong(records, 'The record does not say where reports go. Add rua=mailto:… or use this one.');
}
