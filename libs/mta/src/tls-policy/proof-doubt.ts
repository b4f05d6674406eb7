import type { Proof } from './proof.js';
import type { CertificateDoubt, SecuredLine } from './secured-line.js';
import { tlsaDoubt } from './tlsa.js';
import type { PolicyFault } from './host-policy.js';
import type { TlsResultType } from './tls-result.js';

/** Why an encrypted line does not prove what it must; null: it does. */
export function proofDoubt(proof: Proof, line: SecuredLine): PolicyFault | null {
  switch (proof.kind) {
    case 'none':
    case 'encrypted':
      return null;
    case 'webpki':
      return line.doubt === null ? null : certificateFault(line.doubt);
    case 'tlsa':
      return tlsaDoubt(line.chain(), proof);
  }
}

/** The doubt in the words of a report. */
export function certificateFault({ code, text }: CertificateDoubt): PolicyFault {
  return { type: FAULTS[code] ?? 'certificate-not-trusted', reason: text };
}

const FAULTS: Readonly<Record<string, TlsResultType>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-host-mismatch',
  CERT_HAS_EXPIRED: 'certificate-expired',
  CERT_NOT_YET_VALID: 'certificate-expired',
};
