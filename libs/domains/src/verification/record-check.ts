import { getDomain } from 'tldts';
import type { ExpectedRecord, Slot } from '../expected-records.js';
import { judgeAlias } from './alias-rule.js';
import { judgeKeyRecord } from './key-record.js';
import { walkDmarc } from './dmarc-rule.js';
import type { DnsServer } from './dns-server.js';
import { judged, type Judgement, type Outcome } from './judgement.js';
import { askingTerms, countSpfLookups, SPF_LOOKUPS } from './spf-lookups.js';
import { judgeSpf } from './spf-rule.js';
import { judgeTlsRpt } from './tls-rpt-rule.js';
import type { ZoneView } from './zone-view.js';

const NOBODY_TO_ASK: Outcome = { verdict: 'unanswered', error: 'there is no name server' };
const RANK: Record<Outcome['verdict'], number> = { unanswered: 0, missing: 1, wrong: 2, verified: 3 };

/**
 * Looks at the records of one domain, all at once; for each, what the most favourable server says. Only of a key that is
 * to sign next the least favourable: receivers may ask any of them.
 */
export class RecordCheck {
  constructor(
    private readonly name: string,
    private readonly serviceDomain: string,
    private readonly zone: ZoneView,
  ) {}

  async run(expected: readonly ExpectedRecord[]): Promise<Map<Slot, Outcome>> {
    const outcomes = expected.map(async (record) => [record.slot, await this.look(record)] as const);
    return new Map(await Promise.all(outcomes));
  }

  private async look(record: ExpectedRecord): Promise<Outcome> {
    const isNext = record.dkim?.key.state === 'next';
    const best = isNext ? await this.leastFavourable(record) : await this.mostFavourable(record);
    if (record.record === 'SPF') return this.withLookups(best);
    return best.verdict === 'missing' ? this.withHint(record, best) : best;
  }

  private async mostFavourable(record: ExpectedRecord): Promise<Outcome> {
    let best: Outcome = NOBODY_TO_ASK;
    let last: Outcome = best;
    for (const server of this.zone.servers) {
      last = await this.judge(record, record.name, server);
      if (RANK[last.verdict] > RANK[best.verdict] || best.verdict === 'unanswered') best = last;
      if (last.verdict === 'verified') return last;
    }
    // A zone's servers do not see what they delegate: that nothing is there, the resolver has to confirm.
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
    return answered.at(0) ?? outcomes.at(-1) ?? NOBODY_TO_ASK;
  }

  private async judge(record: ExpectedRecord, name: string, server: DnsServer): Promise<Outcome> {
    if (record.dkim) return judgeKeyRecord(name, record.dkim, { server, resolver: this.zone.resolver });
    switch (record.record) {
      case 'SPF':
        return judged(await server.texts(name), (texts) => judgeSpf(texts, `spf.${this.serviceDomain}`));
      case 'DMARC':
        return walkDmarc(name.slice('_dmarc.'.length), (at) => this.serverFor(at, server).texts(at));
      case 'TLS-RPT':
        return judged(await server.texts(name), judgeTlsRpt);
      case 'DKIM':
      case 'Return-Path':
      case 'Tracking':
        return judged(await server.aliases(name), (targets) => judgeAlias(targets, record.value));
    }
  }

  /** Parents of the domain may lie in another zone, of which its servers know nothing. */
  private serverFor(name: string, server: DnsServer): DnsServer {
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
    const costly = askingTerms(outcome.value, `spf.${this.serviceDomain}`);
    return { ...outcome, error: outcome.error === null ? warning : `${outcome.error} ${warning}`, costly };
  }

  /** Many panels append the zone to whatever name is entered. */
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
