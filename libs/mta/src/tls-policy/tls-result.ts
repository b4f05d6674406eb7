/** Where a policy was found; the words of RFC 8460 §4.4. */
export type TlsPolicyType = 'tlsa' | 'sts' | 'no-policy-found';

/** Why the line did not become what the policy asks for; the words of RFC 8460 §4.3. */
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

/** How the TLS of one session with an MX ended, in the terms of a TLS report (RFC 8460). Once per session, not per mail. */
export interface TlsResult {
  /** The recipients' domain, which also says where reports go; of `tlsa`, the records belong to `mx`. */
  policyDomain: string;
  policyType: TlsPolicyType;
  /** TLSA records in presentation form, or the lines of the MTA-STS policy; empty when there is none. */
  policyStrings: string[];
  /** The `mx` lines of an MTA-STS policy; empty otherwise. */
  mxPatterns: string[];
  /** Null when nothing was spoken to: the policy permits no MX of the domain. */
  mx: string | null;
  ip: string | null;
  /** Our own end of the line; null when TCP never stood. */
  sourceIp: string | null;
  /** The line is encrypted and holds what the policy asks for. */
  success: boolean;
  /** Null with `success`. */
  resultType: TlsResultType | null;
  /** In our words, for people; null with `success`. */
  failureReason: string | null;
}
