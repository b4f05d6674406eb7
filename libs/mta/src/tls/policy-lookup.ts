import type { TlsPolicyName } from '../delivery-outcome.js';
import type { DaneFinding } from './dane-lookup.js';
import type { DaneAvailability } from './dane-availability.js';
import { decidePolicy } from './decide-policy.js';
import type { PolicyDecision } from './decide-policy.js';
import type { StsFinding, StsLookup } from './sts-lookup.js';
import { refusedHostResult } from './session-result.js';
import type { TlsResult } from './tls-result.js';

export interface PolicySources {
  /** Null: not used. */
  sts: Pick<StsLookup, 'find'> | null;
  dane: Pick<DaneAvailability, 'find'> | null;
}

/** Why no host of a domain may be used. */
export interface PolicyRefusal {
  policy: TlsPolicyName;
  enhanced: string;
  text: string;
  /** One per host. */
  tlsResults: TlsResult[];
}

const NO_STS: StsFinding = { policy: null, fault: null };
const NO_DANE: DaneFinding = { kind: 'none' };

/** Collects the facts for `decidePolicy` about the domain of the recipients. */
export class PolicyLookup {
  constructor(private readonly sources: PolicySources) {}

  /** Starts the lookup early, so that `decide` need not wait for it. */
  prefetch(domain: string): void {
    void this.sources.sts?.find(domain);
  }

  /** In the order of `hosts`. @param implicit The domain has no MX and is its own host. Never rejects. */
  async decide(domain: string, hosts: readonly string[], implicit: boolean): Promise<PolicyDecision[]> {
    const { sts: policies, dane } = this.sources;
    const [sts = NO_STS, ...found] = await Promise.all([
      policies?.find(domain),
      ...hosts.map((mxHost) => dane?.find(domain, mxHost, implicit)),
    ]);
    return hosts.map((mxHost, i) => decidePolicy({ domain, mxHost, dane: found[i] ?? NO_DANE, sts }));
  }

  /** For the case that no host may be used: one TLS result per host, and the reasons in one sentence. */
  refuse(hosts: readonly string[], decisions: readonly PolicyDecision[]): PolicyRefusal {
    const reasons: string[] = [];
    const tlsResults: TlsResult[] = [];
    let refusal: Pick<PolicyRefusal, 'policy' | 'enhanced'> = { policy: 'sts', enhanced: '4.7.0' };
    for (const [i, decision] of decisions.entries()) {
      if (decision.kind !== 'unusable') continue;
      tlsResults.push(refusedHostResult(decision.published, hosts[i], decision.fault));
      reasons.push(decision.fault.reason);
      refusal = { policy: decision.published.type === 'tlsa' ? 'dane' : 'sts', enhanced: decision.enhanced };
    }
    return { ...refusal, tlsResults, text: `no MX may be used: ${[...new Set(reasons)].join('; ')}` };
  }
}
