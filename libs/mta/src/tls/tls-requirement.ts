import type { TlsaRecord } from '#libs/dns';
import { createHash } from 'node:crypto';
import { tlsaText } from './tlsa.js';

/** The requirement that a connection must meet before a message is sent over it. */
export type TlsRequirement =
  /** Nothing: TLS if it works, otherwise plain text. */
  | { kind: 'none' }
  /** TLS with any certificate: unusable TLSA records still require TLS (RFC 7672 §2.2). */
  | { kind: 'encrypted' }
  /** A certificate for the name of the host from an authority that this machine trusts. */
  | { kind: 'webpki' }
  /**
   * A certificate that matches a TLSA record. `names` are the names that are valid with usage 2; the first one is sent
   * as SNI.
   */
  | { kind: 'tlsa'; records: readonly TlsaRecord[]; names: readonly string[] };

export const NO_REQUIREMENT: TlsRequirement = Object.freeze({ kind: 'none' });

/**
 * Equal keys mean interchangeable requirements. A verification for one name or record set says nothing about another.
 */
export function requirementKey(requirement: TlsRequirement, host: string): string {
  switch (requirement.kind) {
    case 'none':
      return 'any';
    case 'encrypted':
      return 'encrypted';
    case 'webpki':
      return `webpki ${host}`;
    case 'tlsa': {
      const records = requirement.records.map(tlsaText).toSorted();
      const digest = createHash('sha256').update(JSON.stringify([requirement.names, records]));
      return `tlsa ${host} ${digest.digest('base64')}`;
    }
  }
}
