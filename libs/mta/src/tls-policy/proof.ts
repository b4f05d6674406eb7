import { createHash } from 'node:crypto';
import { tlsaText } from './tlsa.js';
import type { TlsaRecord } from './tlsa.js';

/** What a line must prove before a mail goes over it. */
export type Proof =
  /** Nothing: TLS where it works, plain text where it does not. */
  | { kind: 'none' }
  /** TLS, with any certificate: TLSA records that nobody can use still promise TLS (RFC 7672 §2.2). */
  | { kind: 'encrypted' }
  /** A certificate for the host's name from an authority that this machine trusts. */
  | { kind: 'webpki' }
  /** A certificate that DNSSEC vouches for. `names` are those that usage 2 may show; the first one is asked for (SNI). */
  | { kind: 'tlsa'; records: readonly TlsaRecord[]; names: readonly string[] };

export const NO_PROOF: Proof = Object.freeze({ kind: 'none' });

/** Equal for proofs that stand for each other: what was proved for one name or record set says nothing about another. */
export function proofKey(proof: Proof, host: string): string {
  switch (proof.kind) {
    case 'none':
      return 'any';
    case 'encrypted':
      return 'encrypted';
    case 'webpki':
      return `webpki ${host}`;
    case 'tlsa': {
      const records = proof.records.map(tlsaText).toSorted();
      const digest = createHash('sha256').update(JSON.stringify([proof.names, records]));
      return `tlsa ${host} ${digest.digest('base64')}`;
    }
  }
}
