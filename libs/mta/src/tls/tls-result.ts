/** The source of a policy, in the terms of RFC 8460 §4.4. */
export type TlsPolicyType = 'tlsa' | 'sts' | 'no-policy-found';

/** Why a connection did not meet the policy, in the terms of RFC 8460 §4.3. */
export type TlsResultType =
  | 'starttls-not-supported'
  | 'certificate-host-mismatch'
  | 'certificate-expired'
  | 'certificate-not-trusted'
  | 'validation-failure'
  | 'tlsa-invalid'
  | 'dnssec-invalid'
  | 'dane-required'
  | 'sts-policy-fetch-error'
  | 'sts-policy-invalid'
  | 'sts-webpki-invalid';

/** The TLS result of one session with an MX, in the terms of RFC 8460. Once per session, not per message. */
export interface TlsResult {
  /** The domain of the recipients, which also publishes where reports go. With `tlsa`, the records belong to `mx`. */
  policyDomain: string;
  policyType: TlsPolicyType;
  /** TLSA records in presentation form, or the lines of the MTA-STS policy; empty if there is no policy. */
  policyStrings: string[];
  /** The `mx` lines of an MTA-STS policy; otherwise empty. */
  mxPatterns: string[];
  /** Null if no host was connected to: the policy permits no MX of the domain. */
  mx: string | null;
  ip: string | null;
  /** Our own address; null if TCP was never connected. */
  sourceIp: string | null;
  /** The connection is encrypted and meets the policy. */
  success: boolean;
  /** Null if `success`. */
  resultType: TlsResultType | null;
  /** A sentence of ours; null if `success`. */
  failureReason: string | null;
}
