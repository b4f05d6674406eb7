import type { TlsPolicyName } from '../delivery-outcome.js';
import type { DaneFinding } from './dane.js';
import type { HostPolicy, PolicyFault, PublishedPolicy } from './host-policy.js';
import { NO_PROOF } from './proof.js';
import type { Proof } from './proof.js';
import { permitsMx, stsLines } from './sts-policy.js';
import type { StsFinding } from './sts-policies.js';
import type { StsPolicy } from './sts-policy.js';
import { tlsaText } from './tlsa.js';

export interface PolicyFacts {
  /** The recipients' domain. */
  domain: string;
  mxHost: string;
  dane: DaneFinding;
  sts: StsFinding;
}

export type Decision =
  | { kind: 'use'; proof: Proof; policy: HostPolicy }
  /** No mail may go to this host now. */
  | { kind: 'unusable'; published: PublishedPolicy; fault: PolicyFault; enhanced: string };

/**
 * How one host must be spoken to: DANE where DNSSEC proves it (it overrides MTA-STS, RFC 8461 §2), else MTA-STS, else
 * whatever TLS there is. Records that nobody can use promise TLS and no more; a policy in enforcement asks for more.
 */
export function policyFor({ domain, mxHost, dane, sts }: PolicyFacts): Decision {
  switch (dane.kind) {
    case 'failed':
      return daneFailed(domain, dane.reason);
    case 'usable': {
      const { records, names } = dane;
      return use('dane', { kind: 'tlsa', records, names }, published(domain, 'tlsa', records.map(tlsaText)));
    }
    case 'unusable':
      if (sts.policy?.mode === 'enforce') break;
      return use(
        'dane',
        { kind: 'encrypted' },
        {
          ...published(domain, 'tlsa', dane.records.map(tlsaText)),
          fault: { type: 'tlsa-invalid', reason: 'no TLSA record has a usage that mail can be checked by' },
        },
      );
    case 'none':
      break;
  }
  if (sts.policy === null && sts.fault === null)
    return use('opportunistic', NO_PROOF, published(domain, 'no-policy-found', []));
  if (sts.policy === null) return use('opportunistic', NO_PROOF, { ...published(domain, 'sts', []), fault: sts.fault });
  return byStsPolicy(sts.policy, domain, mxHost);
}

function byStsPolicy(policy: StsPolicy, domain: string, mxHost: string): Decision {
  if (policy.mode === 'none') return use('opportunistic', NO_PROOF, published(domain, 'no-policy-found', []));
  const of = { ...published(domain, 'sts', stsLines(policy)), mxPatterns: policy.mx };
  const fault: PolicyFault | null = permitsMx(policy, mxHost)
    ? null
    : { type: 'validation-failure', reason: `the MTA-STS policy of ${domain} does not name the MX ${mxHost}` };
  if (policy.mode === 'testing') return use('sts_testing', NO_PROOF, { ...of, fault });
  if (fault !== null) return { kind: 'unusable', published: of, fault, enhanced: '4.7.0' };
  return use('sts', { kind: 'webpki' }, of);
}

/** RFC 7672 §2.1.2: a lookup that fails may be an attack; the host is as good as unreachable. */
function daneFailed(domain: string, reason: string): Decision {
  const fault = { type: 'dnssec-invalid', reason } as const;
  return { kind: 'unusable', published: published(domain, 'tlsa', []), fault, enhanced: '4.4.3' };
}

function published(domain: string, type: PublishedPolicy['type'], strings: readonly string[]): PublishedPolicy {
  return { domain, type, strings, mxPatterns: [], fault: null };
}

function use(name: TlsPolicyName, proof: Proof, of: PublishedPolicy): Decision {
  return { kind: 'use', proof, policy: { name, published: of } };
}
