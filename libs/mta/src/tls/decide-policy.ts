import type { TlsPolicyName } from '../delivery-outcome.js';
import type { DaneFinding } from './dane-lookup.js';
import type { HostPolicy, PolicyFault, PublishedPolicy } from './host-policy.js';
import { NO_REQUIREMENT } from './tls-requirement.js';
import type { TlsRequirement } from './tls-requirement.js';
import { permitsMx, stsLines } from './sts-policy.js';
import type { StsFinding } from './sts-lookup.js';
import type { StsPolicy } from './sts-policy.js';
import { tlsaText } from './tlsa.js';

export interface PolicyFacts {
  /** The domain of the recipients. */
  domain: string;
  mxHost: string;
  dane: DaneFinding;
  sts: StsFinding;
}

export type PolicyDecision =
  | { kind: 'use'; requirement: TlsRequirement; policy: HostPolicy }
  /** Nothing may be sent to this host now. */
  | { kind: 'unusable'; published: PublishedPolicy; fault: PolicyFault; enhanced: string };

/**
 * The policy for one host: DANE if DNSSEC proves it (it overrides MTA-STS, RFC 8461 §2), else MTA-STS, else
 * opportunistic TLS. Unusable TLSA records require TLS only, so an MTA-STS policy in mode `enforce`, which requires
 * more, comes before them.
 */
export function decidePolicy({ domain, mxHost, dane, sts }: PolicyFacts): PolicyDecision {
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
    return use('opportunistic', NO_REQUIREMENT, published(domain, 'no-policy-found', []));
  if (sts.policy === null)
    return use('opportunistic', NO_REQUIREMENT, { ...published(domain, 'sts', []), fault: sts.fault });
  return byStsPolicy(sts.policy, domain, mxHost);
}

function byStsPolicy(policy: StsPolicy, domain: string, mxHost: string): PolicyDecision {
  if (policy.mode === 'none') return use('opportunistic', NO_REQUIREMENT, published(domain, 'no-policy-found', []));
  const of = { ...published(domain, 'sts', stsLines(policy)), mxPatterns: policy.mx };
  const fault: PolicyFault | null = permitsMx(policy, mxHost)
    ? null
    : { type: 'validation-failure', reason: `the MTA-STS policy of ${domain} does not name the MX ${mxHost}` };
  if (policy.mode === 'testing') return use('sts_testing', NO_REQUIREMENT, { ...of, fault });
  if (fault !== null) return { kind: 'unusable', published: of, fault, enhanced: '4.7.0' };
  return use('sts', { kind: 'webpki' }, of);
}

/** RFC 7672 §2.1.2: a failed lookup may be an attack, so the host counts as unreachable. */
function daneFailed(domain: string, reason: string): PolicyDecision {
  const fault = { type: 'dnssec-invalid', reason } as const;
  return { kind: 'unusable', published: published(domain, 'tlsa', []), fault, enhanced: '4.4.3' };
}

function published(domain: string, type: PublishedPolicy['type'], strings: readonly string[]): PublishedPolicy {
  return { domain, type, strings, mxPatterns: [], fault: null };
}

function use(name: TlsPolicyName, requirement: TlsRequirement, of: PublishedPolicy): PolicyDecision {
  return { kind: 'use', requirement, policy: { name, published: of } };
}
