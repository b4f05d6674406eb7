import { getDomain } from 'tldts';
import type { ExpectedRecord, Slot } from '../expected-records.js';
import { judgeAlias } from './alias-rule.js';
import { judgeDkim } from './dkim-rule.js';
import { walkDmarc } from './dmarc-rule.js';
import type { DnsAnswer, DnsServer } from './dns-server.js';
import type { Judgement, Outcome } from './judgement.js';
import { countSpfLookups, SPF_LOOKUPS } from './spf-lookups.js';
import { judgeSpf } from './spf-rule.js';
import { judgeTlsRpt } from './tls-rpt-rule.js';
import type { ZoneView } from './zone-view.js';

export interface DomainKeysToCheck {
  name: string;
  rsaPublic: string;
  ed25519Public: string;
}

const RANK: Record<Outcome['verdict'], number> = { unanswered: 0, missing: 1, wrong: 2, verified: 3 };

/** Looks at the records of one domain, all at once; for each, what the most favourable server says. */
export class RecordCheck {
  constructor(
    private readonly domain: DomainKeysToCheck,
    private readonly serviceDomain: string,
    private readonly zone: ZoneView,
  ) {}

  async run(expected: readonly ExpectedRecord[]): Promise<Map<Slot, Outcome>> {
    const outcomes = expected.map(async (record) => [record.slot, await this.look(record)] as const);
    return new Map(await Promise.all(outcomes));
  }

  private async look(record: ExpectedRecord): Promise<Outcome> {
    const best = await this.mostFavourable(record);
    if (record.slot === 'spf') return this.withLookups(best);
    return best.verdict === 'missing' ? this.withHint(record, best) : best;
  }

  private async mostFavourable(record: ExpectedRecord): Promise<Outcome> {
    let best: Outcome = { verdict: 'unanswered', error: 'there is no name server' };
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

  private async judge(record: ExpectedRecord, name: string, server: DnsServer): Promise<Outcome> {
    switch (record.slot) {
      case 'spf':
        return judged(await server.texts(name), (texts) => judgeSpf(texts, `spf.${this.serviceDomain}`));
      case 'dkim':
        return judged(await server.texts(name), (texts) =>
          judgeDkim(texts, { algorithm: 'rsa', publicKey: this.domain.rsaPublic }),
        );
      case 'dkim_ed25519':
        return judged(await server.texts(name), (texts) =>
          judgeDkim(texts, { algorithm: 'ed25519', publicKey: this.domain.ed25519Public }),
        );
      case 'dmarc':
        return walkDmarc(name.slice('_dmarc.'.length), (at) => this.serverFor(at, server).texts(at));
      case 'return_path':
      case 'tracking':
        return judged(await server.aliases(name), (targets) => judgeAlias(targets, record.value));
      case 'tls_rpt':
        return judged(await server.texts(name), judgeTlsRpt);
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
    return { ...outcome, error: outcome.error === null ? warning : `${outcome.error} ${warning}` };
  }

  /** Many panels append the zone to whatever name is entered. */
  private async withHint(record: ExpectedRecord, outcome: Judgement): Promise<Outcome> {
    const registered = getDomain(this.domain.name, { allowPrivateDomains: true }) ?? this.domain.name;
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

function judged(answer: DnsAnswer, judge: (values: readonly string[]) => Judgement): Outcome {
  if (answer.kind === 'no_answer') return { verdict: 'unanswered', error: answer.reason };
  return judge(answer.kind === 'found' ? answer.values : []);
}
