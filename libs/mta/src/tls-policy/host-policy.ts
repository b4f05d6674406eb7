import type { TlsPolicyName } from '../delivery-outcome.js';
import type { TlsPolicyType, TlsResultType } from './tls-result.js';

/** What the recipients' domain published, as far as a report has to show it. */
export interface PublishedPolicy {
  domain: string;
  type: TlsPolicyType;
  /** TLSA records in presentation form, or the lines of the MTA-STS policy. */
  strings: readonly string[];
  mxPatterns: readonly string[];
  /** What is wrong with the policy itself, or with this host under it, though mail goes out: tests and lost policies. */
  fault: PolicyFault | null;
}

export interface PolicyFault {
  type: TlsResultType;
  reason: string;
}

/** The rule under which one host is spoken to. */
export interface HostPolicy {
  name: TlsPolicyName;
  /** Null where the host is no MX: a smarthost publishes nothing. */
  published: PublishedPolicy | null;
}
