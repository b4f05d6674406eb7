import type { TlsRequirement } from './tls-requirement.js';
import type { CertificateProblem, TlsSession } from './tls-session.js';
import { verifyTlsa } from './tlsa.js';
import type { PolicyFault } from './host-policy.js';
import type { TlsResultType } from './tls-result.js';

/** Why an encrypted connection does not meet its requirement; null: it does. */
export function verifyRequirement(requirement: TlsRequirement, line: TlsSession): PolicyFault | null {
  switch (requirement.kind) {
    case 'none':
    case 'encrypted':
      return null;
    case 'webpki':
      return line.certificateProblem === null ? null : certificateFault(line.certificateProblem);
    case 'tlsa':
      return verifyTlsa(line.chain(), requirement);
  }
}

/** The certificate problem in the terms of a report. */
export function certificateFault({ code, text }: CertificateProblem): PolicyFault {
  return { type: FAULTS[code] ?? 'certificate-not-trusted', reason: text };
}

const FAULTS: Readonly<Record<string, TlsResultType>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-host-mismatch',
  CERT_HAS_EXPIRED: 'certificate-expired',
  CERT_NOT_YET_VALID: 'certificate-expired',
};
