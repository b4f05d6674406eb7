import { keyProblem, type KeyProblem, type TlsFiles } from '#libs/kernel';
import { X509Certificate } from 'node:crypto';
import tls from 'node:tls';

export type CertificateProblem =
  | { kind: 'unreadable'; reason: string }
  /** No TLS at all. */
  | { kind: 'key'; problem: KeyProblem }
  | { kind: 'expired'; on: Date }
  | { kind: 'expires_soon'; on: Date; days: number }
  | { kind: 'not_yet'; from: Date }
  | { kind: 'other_names'; names: string }
  | { kind: 'self_signed' }
  /** `issuer` is neither in the file nor among those that everybody knows. */
  | { kind: 'incomplete_chain'; issuer: string }
  /** The chain is complete, but `root` is known to those only who were given it. */
  | { kind: 'own_root'; root: string };

const DAY_MS = 86_400_000;
/** Renewal by ACME comes 30 days before the end; at 21 it has failed for more than a week. */
const SOON_DAYS = 21;
const CHAIN = 10;

/** What is wrong with a certificate that is to stand for `name`; empty: nothing. */
export function judgeCertificate({ cert, key }: TlsFiles, name: string, now: Date): CertificateProblem[] {
  const chain = readChain(cert);
  if (!Array.isArray(chain)) return [chain];
  const [leaf] = chain;
  const problems: CertificateProblem[] = [];
  const problem = keyProblem(leaf, key);
  if (problem !== null) problems.push({ kind: 'key', problem });
  problems.push(...judgeTime(leaf, now));
  if (leaf.checkHost(name) === undefined)
    problems.push({ kind: 'other_names', names: leaf.subjectAltName ?? leaf.subject });
  const end = isSelfSigned(leaf) ? ({ kind: 'self_signed' } as const) : judgeChain(chain);
  if (end !== null) problems.push(end);
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

function judgeTime(leaf: X509Certificate, now: Date): CertificateProblem[] {
  const [from, to] = [new Date(leaf.validFrom), new Date(leaf.validTo)];
  if (from > now) return [{ kind: 'not_yet', from }];
  if (to <= now) return [{ kind: 'expired', on: to }];
  const days = Math.floor((to.getTime() - now.getTime()) / DAY_MS);
  return days < SOON_DAYS ? [{ kind: 'expires_soon', on: to, days }] : [];
}

/** Where the way up ends: at a root that everybody knows (null), at one of one's own, or before a gap. */
function judgeChain(chain: readonly X509Certificate[]): CertificateProblem | null {
  let at = chain[0];
  for (let steps = 0; steps < CHAIN; steps += 1) {
    if (isRooted(at)) return null;
    const next = chain.find((other) => other !== at && isIssuedBy(at, other));
    if (next === undefined) break;
    if (isSelfSigned(next)) return isRooted(next) ? null : { kind: 'own_root', root: next.subject };
    at = next;
  }
  return { kind: 'incomplete_chain', issuer: at.issuer };
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
