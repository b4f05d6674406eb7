import type { X509Certificate } from 'node:crypto';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import type { TlsFacts } from '../smtp/failure.js';

/** The properties of an encrypted connection. */
export interface TlsSession {
  /** For example `TLSv1.3`. */
  version: string;
  /** IANA name, for example `TLS_AES_256_GCM_SHA384`. */
  cipher: string;
  /**
   * Why the certificate is not valid for the name of the host by the trusted authorities of this machine; null: it is.
   */
  certificateProblem: CertificateProblem | null;
  /**
   * The certificate of the server first, each followed by its issuer. Computed on demand, because only DANE needs it.
   */
  chain: () => X509Certificate[];
}

/** `code` is that of OpenSSL, or of Node.js for a wrong name (`ERR_TLS_CERT_ALTNAME_INVALID`). */
export interface CertificateProblem {
  code: string;
  text: string;
}

/** The TLS properties for an outcome. `verified`: by the trusted authorities of this machine. */
export function tlsFacts(line: TlsSession | null): TlsFacts {
  if (line === null) return { tls: null, cipher: null, verified: null };
  return { tls: line.version, cipher: line.cipher, verified: line.certificateProblem === null };
}

/** Real chains have two to four certificates. */
const MAX_CHAIN_LENGTH = 16;

/** Reads the session of a socket after its handshake, made with `rejectUnauthorized: false`. */
export function readTlsSession(socket: TLSSocket): TlsSession {
  return {
    version: socket.getProtocol() ?? 'unknown',
    cipher: socket.getCipher().standardName,
    certificateProblem: certificateProblemOf(socket),
    chain: () => chainOf(socket),
  };
}

function certificateProblemOf(socket: TLSSocket): CertificateProblem | null {
  // The types of Node.js declare an Error; it is the code of the error.
  const error: unknown = socket.authorizationError;
  if (socket.authorized) return isNamed(socket) ? null : NAMED_BY_SUBJECT;
  const code = typeof error === 'string' ? error : 'UNKNOWN';
  return { code, text: PROBLEM_TEXTS[code] ?? `the certificate is not trusted (${code})` };
}

/** RFC 8461 §4.1, RFC 9525 §2: only subjectAltName identifies a host. Node.js falls back to the subject. */
function isNamed(socket: TLSSocket): boolean {
  // An IP address, which Node.js checks in subjectAltName only.
  if (!socket.servername) return true;
  const certificate = socket.getPeerCertificate();
  const subject = { ...certificate.subject, CN: '' };
  return checkServerIdentity(socket.servername, { ...certificate, subject }) === undefined;
}

const NAMED_BY_SUBJECT: CertificateProblem = {
  code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  text: 'the certificate names the host in its subject alone, not in subjectAltName',
};

const PROBLEM_TEXTS: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  CERT_HAS_EXPIRED: 'the certificate is expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate comes from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate comes from an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate comes from an authority that is not trusted',
};

function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  while (next !== undefined && chain.length < MAX_CHAIN_LENGTH) {
    const certificate = next;
    // A root certificate is its own issuer.
    if (chain.some((other) => other.raw.equals(certificate.raw))) break;
    chain.push(certificate);
    next = certificate.issuerCertificate;
  }
  return chain;
}
