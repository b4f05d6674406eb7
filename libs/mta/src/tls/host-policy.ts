import type { TlsPolicyName } from '../delivery-outcome.js';
import type { TlsPolicyType, TlsResultType } from './tls-result.js';

/** The policy that the domain of the recipients published, as a report shows it. */
export interface PublishedPolicy {
  domain: string;
  type: TlsPolicyType;
  /** TLSA records in presentation form, or the lines of the MTA-STS policy. */
  strings: readonly string[];
  mxPatterns: readonly string[];
  /** A fault of the policy, or of this host under it, that does not prevent delivery. */
  fault: PolicyFault | null;
}

export interface PolicyFault {
  type: TlsResultType;
  reason: string;
}

/** The TLS policy for one host. */
export interface HostPolicy {
  name: TlsPolicyName;
  /** Null for a smarthost, which publishes no policy. */
  published: PublishedPolicy | null;
}
