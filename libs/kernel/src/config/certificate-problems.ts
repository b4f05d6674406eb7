import { X509Certificate } from 'node:crypto';
import tls from 'node:tls';
import { keyProblem, type KeyProblem, type TlsFiles } from './tls-files.js';

export type CertificateProblem =
  | { kind: 'unreadable'; reason: string }
  /** TLS cannot be offered. */
  | { kind: 'key'; problem: KeyProblem }
  | { kind: 'expired'; on: Date }
  | { kind: 'expires_soon'; on: Date; days: number }
  | { kind: 'not_yet_valid'; from: Date }
  | { kind: 'name_mismatch'; names: string }
  | { kind: 'self_signed' }
  /** `issuer` is neither in the file nor a public root. */
  | { kind: 'incomplete_chain'; issuer: string }
  /** The chain is complete, but ends at a private root. */
  | { kind: 'private_root'; root: string };

const DAY_MS = 86_400_000;
/** ACME clients renew 30 days before the expiry; at 21 days renewal has failed for more than a week. */
const SOON_DAYS = 21;
const MAX_CHAIN_LENGTH = 10;

/** Checks key, validity, names and chain of a certificate that is used for `name`. */
export function findCertificateProblems({ cert, key }: TlsFiles, name: string, now: Date): CertificateProblem[] {
  const chain = readChain(cert);
  if (!Array.isArray(chain)) return [chain];
  const [leaf] = chain;
  const problems: CertificateProblem[] = [];
  const problemOfKey = keyProblem(leaf, key);
  if (problemOfKey !== null) problems.push({ kind: 'key', problem: problemOfKey });
  problems.push(...checkValidity(leaf, now));
  if (leaf.checkHost(name) === undefined)
    problems.push({ kind: 'name_mismatch', names: leaf.subjectAltName ?? leaf.subject });
  const problemOfChain = isSelfSigned(leaf) ? ({ kind: 'self_signed' } as const) : checkChain(chain);
  if (problemOfChain !== null) problems.push(problemOfChain);
  return problems;
}

function readChain(pem: string): X509Certificate[] | CertificateProblem {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return { kind: 'unreadable', reason: 'there is no certificate in it' };
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    return { kind: 'unreadable', reason: (error as Error).message };
  }
}

function checkValidity(leaf: X509Certificate, now: Date): CertificateProblem[] {
  const [from, to] = [new Date(leaf.validFrom), new Date(leaf.validTo)];
  if (from > now) return [{ kind: 'not_yet_valid', from }];
  if (to <= now) return [{ kind: 'expired', on: to }];
  const days = Math.floor((to.getTime() - now.getTime()) / DAY_MS);
  return days < SOON_DAYS ? [{ kind: 'expires_soon', on: to, days }] : [];
}

/** Follows the issuers from the leaf upwards. Null: they end at a public root. */
function checkChain(chain: readonly X509Certificate[]): CertificateProblem | null {
  let current = chain[0];
  for (let steps = 0; steps < MAX_CHAIN_LENGTH; steps += 1) {
    if (hasPublicIssuer(current)) return null;
    const next = chain.find((other) => other !== current && isIssuedBy(current, other));
    if (next === undefined) break;
    if (isSelfSigned(next)) return hasPublicIssuer(next) ? null : { kind: 'private_root', root: next.subject };
    current = next;
  }
  return { kind: 'incomplete_chain', issuer: current.issuer };
}

const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.subject === certificate.issuer && isIssuedBy(certificate, certificate);

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

/** Parsed on first use. */
let roots: X509Certificate[] | undefined;

/** Whether the issuer is one of the public roots that Node.js contains. */
function hasPublicIssuer(certificate: X509Certificate): boolean {
  roots ??= tls.rootCertificates.map((pem) => new X509Certificate(pem));
  return roots.some((root) => root.subject === certificate.issuer && isIssuedBy(certificate, root));
}
