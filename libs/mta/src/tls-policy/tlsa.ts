import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import type { PolicyFault } from './host-policy.js';

/** One TLSA record (RFC 6698 §2.1). */
export interface TlsaRecord {
  usage: number;
  selector: number;
  matchingType: number;
  data: Buffer;
}

const DANE_TA = 2;
const DANE_EE = 3;
const DIGESTS: Readonly<Record<number, { name: string; bytes: number }>> = {
  1: { name: 'sha256', bytes: 32 },
  2: { name: 'sha512', bytes: 64 },
};

/** Presentation form, as reports and logs show it. */
export function tlsaText({ usage, selector, matchingType, data }: TlsaRecord): string {
  return `${usage} ${selector} ${matchingType} ${data.toString('hex')}`;
}

/** RFC 7672 §3.1.3: usages 0 and 1 rest on authorities that nobody names in SMTP; unknown values are skipped. */
export function isUsable({ usage, selector, matchingType, data }: TlsaRecord): boolean {
  if (usage !== DANE_TA && usage !== DANE_EE) return false;
  if (selector !== 0 && selector !== 1) return false;
  return matchingType === 0 ? isReadable(selector, data) : data.length === DIGESTS[matchingType]?.bytes;
}

/**
 * Null when the peer's chain (its own certificate first) holds what one of the records promises, else why not. Usage 3
 * looks at the key alone, neither at names nor at dates (RFC 7672 §3.1.1); usage 2 wants a chain up to the named
 * authority and one of `names` (§3.1.2).
 */
export function tlsaDoubt(
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

/** How many certificates stand below the record's authority; Infinity where no unbroken chain leads to it. */
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

/** A record that holds its authority in full need not be repeated in the handshake. */
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
    // A key of a kind that this machine cannot read proves nothing.
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
