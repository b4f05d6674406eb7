import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import type { TlsaRecord } from '#libs/dns';
import type { PolicyFault } from './host-policy.js';

const DANE_TA = 2;
const DANE_EE = 3;
const DIGESTS: Readonly<Record<number, { name: string; bytes: number }>> = {
  1: { name: 'sha256', bytes: 32 },
  2: { name: 'sha512', bytes: 64 },
};

/** Presentation form, as in reports and logs. */
export function tlsaText({ usage, selector, matchingType, data }: TlsaRecord): string {
  return `${usage} ${selector} ${matchingType} ${data.toString('hex')}`;
}

/** RFC 7672 §3.1.3: usages 0 and 1 depend on authorities that SMTP does not define. Unknown values are ignored. */
export function isUsable({ usage, selector, matchingType, data }: TlsaRecord): boolean {
  if (usage !== DANE_TA && usage !== DANE_EE) return false;
  if (selector !== 0 && selector !== 1) return false;
  return matchingType === 0 ? isReadable(selector, data) : data.length === DIGESTS[matchingType]?.bytes;
}

/**
 * Null if the chain of the server (its own certificate first) matches one of the records, else the fault. Usage 3
 * checks the key alone, neither names nor dates (RFC 7672 §3.1.1); usage 2 requires a chain up to the authority of the
 * record and one of `names` (§3.1.2).
 */
export function verifyTlsa(
  chain: readonly X509Certificate[],
  { records, names }: { records: readonly TlsaRecord[]; names: readonly string[] },
): PolicyFault | null {
  if (chain.length === 0) return { type: 'validation-failure', reason: 'the server showed no certificate' };
  if (records.some((record) => record.usage === DANE_EE && matches(record, chain[0]))) return null;
  const anchors = records.filter((record) => record.usage === DANE_TA);
  const depth = Math.min(...anchors.map((record) => anchorDepth(record, chain)));
  if (depth === Infinity) return { type: 'certificate-not-trusted', reason: 'no TLSA record matches the certificate' };
  if (!chain.slice(0, depth).every(isInDate))
    return { type: 'certificate-expired', reason: 'a certificate below the authority of the TLSA record is expired' };
  return names.some((name) => chain[0].checkHost(name) !== undefined)
    ? null
    : {
        type: 'certificate-host-mismatch',
        reason: 'the certificate under the authority of the TLSA record is for another name',
      };
}

/** Number of certificates below the authority of the record; Infinity if no unbroken chain leads to it. */
function anchorDepth(record: TlsaRecord, chain: readonly X509Certificate[]): number {
  for (let depth = 1; depth <= chain.length; depth += 1) {
    const below = chain[depth - 1];
    if (depth < chain.length && matches(record, chain[depth])) return isIssued(below, chain[depth]) ? depth : Infinity;
    if (depth === chain.length) return isIssuedByRecord(below, record) ? depth : Infinity;
    if (!isIssued(below, chain[depth])) return Infinity;
  }
  return Infinity;
}

function isIssued(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** If the record contains its whole authority, the handshake need not repeat it. */
function isIssuedByRecord(certificate: X509Certificate, { selector, matchingType, data }: TlsaRecord): boolean {
  if (matchingType !== 0) return false;
  try {
    return selector === 0 ? isIssued(certificate, new X509Certificate(data)) : certificate.verify(spki(data));
  } catch {
    return false;
  }
}

function matches({ selector, matchingType, data }: TlsaRecord, certificate: X509Certificate): boolean {
  try {
    const shown = selector === 0 ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' });
    const digest = DIGESTS[matchingType];
    return data.equals(digest === undefined ? shown : createHash(digest.name).update(shown).digest());
  } catch {
    // A key of a type that this machine cannot read does not match.
    return false;
  }
}

function isInDate(certificate: X509Certificate): boolean {
  const now = Date.now();
  return Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
}

function isReadable(selector: number, data: Buffer): boolean {
  try {
    if (selector === 0) new X509Certificate(data);
    else spki(data);
    return true;
  } catch {
    return false;
  }
}

function spki(data: Buffer) {
  return createPublicKey({ key: data, format: 'der', type: 'spki' });
}
