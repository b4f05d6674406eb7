import type { TlsPolicyName } from '../delivery-outcome.js';
import type { DaneFinding } from './dane.js';
import type { DaneSwitch } from './dane-switch.js';
import { policyFor } from './policy-for.js';
import type { Decision } from './policy-for.js';
import type { StsFinding, StsPolicies } from './sts-policies.js';
import { refusedHost } from './tls-result-of.js';
import type { TlsResult } from './tls-result.js';

export interface PolicySources {
  /** Null: not asked for. */
  sts: Pick<StsPolicies, 'find'> | null;
  dane: Pick<DaneSwitch, 'find'> | null;
  onTls: (result: TlsResult) => void;
}

/** Why none of a domain's hosts may be used. */
export interface Refusal {
  policy: TlsPolicyName;
  enhanced: string;
  text: string;
}

const NO_STS: StsFinding = { policy: null, fault: null };
const NO_DANE: DaneFinding = { kind: 'none' };

/** What the recipients' domains ask of a line: gathers what `policyFor` decides by. */
export class PolicyDesk {
  constructor(private readonly sources: PolicySources) {}

  /** Begins to look, so that it need not be waited for later. */
  expect(domain: string): void {
    void this.sources.sts?.find(domain);
  }

  /** In the order of `hosts`. `implicit`: the domain has no MX and is its own host. Never rejects. */
  async decide(domain: string, hosts: readonly string[], implicit: boolean): Promise<Decision[]> {
    const { sts: policies, dane } = this.sources;
    const [sts = NO_STS, ...found] = await Promise.all([
      policies?.find(domain),
      ...hosts.map((mxHost) => dane?.find(domain, mxHost, implicit)),
    ]);
    return hosts.map((mxHost, i) => policyFor({ domain, mxHost, dane: found[i] ?? NO_DANE, sts }));
  }

  /** None of the hosts may be used: reports each, and says why in one sentence. */
  refuse(hosts: readonly string[], decisions: readonly Decision[]): Refusal {
    const reasons: string[] = [];
    let refusal: Omit<Refusal, 'text'> = { policy: 'sts', enhanced: '4.7.0' };
    for (const [i, decision] of decisions.entries()) {
      if (decision.kind !== 'unusable') continue;
      this.sources.onTls(refusedHost(decision.published, hosts[i], decision.fault));
      reasons.push(decision.fault.reason);
      refusal = { policy: decision.published.type === 'tlsa' ? 'dane' : 'sts', enhanced: decision.enhanced };
    }
    return { ...refusal, text: `no MX may be used: ${[...new Set(reasons)].join('; ')}` };
  }
}
