import { createPrivateKey, X509Certificate } from 'node:crypto';
import tls from 'node:tls';

/** A certificate as it lies in files. PEM; `cert` may hold a chain, the leaf first. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

export type CertificateProblem =
  | { kind: 'unreadable'; reason: string }
  /** The key belongs to another certificate: no TLS at all. */
  | { kind: 'wrong_key' }
  | { kind: 'expired'; on: Date }
  | { kind: 'expires_soon'; on: Date; days: number }
  | { kind: 'not_yet'; from: Date }
  | { kind: 'other_names'; names: string }
  | { kind: 'self_signed' }
  /** `issuer` is neither in the file nor among those that everybody knows. */
  | { kind: 'incomplete_chain'; issuer: string };

const DAY_MS = 86_400_000;
/** Renewal by ACME comes 30 days before the end; at 21 it has failed for more than a week. */
const SOON_DAYS = 21;
const CHAIN = 10;

/** What is wrong with a certificate that is to stand for `name`; empty: nothing. */
export function judgeCertificate({ cert, key }: CertificateFiles, name: string, now: Date): CertificateProblem[] {
  const chain = readChain(cert);
  if (!Array.isArray(chain)) return [chain];
  const [leaf] = chain;
  const problems: CertificateProblem[] = [];
  if (!isPair(leaf, key)) problems.push({ kind: 'wrong_key' });
  problems.push(...judgeTime(leaf, now));
  if (leaf.checkHost(name) === undefined)
    problems.push({ kind: 'other_names', names: leaf.subjectAltName ?? leaf.subject });
  if (isSelfSigned(leaf)) problems.push({ kind: 'self_signed' });
  else {
    const missing = missingIssuer(chain);
    if (missing !== null) problems.push({ kind: 'incomplete_chain', issuer: missing });
  }
  return problems;
}

function readChain(pem: string): X509Certificate[] | CertificateProblem {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return { kind: 'unreadable', reason: 'there is no certificate in it' };
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    return { kind: 'unreadable', reason: (error as Error).message };
  }
}

function isPair(leaf: X509Certificate, key: string): boolean {
  try {
    return leaf.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function judgeTime(leaf: X509Certificate, now: Date): CertificateProblem[] {
  const [from, to] = [new Date(leaf.validFrom), new Date(leaf.validTo)];
  if (from > now) return [{ kind: 'not_yet', from }];
  if (to <= now) return [{ kind: 'expired', on: to }];
  const days = Math.floor((to.getTime() - now.getTime()) / DAY_MS);
  return days < SOON_DAYS ? [{ kind: 'expires_soon', on: to, days }] : [];
}

/** The first issuer on the way up that neither the file nor the list of known roots has; null: the way is complete. */
function missingIssuer(chain: readonly X509Certificate[]): string | null {
  let at = chain[0];
  for (let steps = 0; steps < CHAIN; steps += 1) {
    if (isRooted(at)) return null;
    const next = chain.find((other) => other !== at && isIssuedBy(at, other));
    if (next === undefined) return at.issuer;
    // A root of one's own at the end: complete, though not known to everybody.
    if (isSelfSigned(next)) return isRooted(next) ? null : next.subject;
    at = next;
  }
  return at.issuer;
}

const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.subject === certificate.issuer && isIssuedBy(certificate, certificate);

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

let roots: X509Certificate[] | undefined;

/** Whether its issuer is one of those that everybody knows. */
function isRooted(certificate: X509Certificate): boolean {
  roots ??= tls.rootCertificates.map((pem) => new X509Certificate(pem));
  return roots.some((root) => root.subject === certificate.issuer && isIssuedBy(certificate, root));
}
