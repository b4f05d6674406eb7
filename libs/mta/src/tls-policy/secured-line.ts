import type { X509Certificate } from 'node:crypto';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import type { LineFacts } from '../smtp-failure.js';

/** What is known of an encrypted line. */
export interface SecuredLine {
  /** `TLSv1.3` */
  version: string;
  /** IANA spelling, `TLS_AES_256_GCM_SHA384`. */
  cipher: string;
  /** Why the certificate does not prove the host's name to those who trust the usual authorities; null: it does. */
  doubt: CertificateDoubt | null;
  /** The peer's certificate first, each followed by its issuer. Made when asked for: only DANE looks at it. */
  chain: () => X509Certificate[];
}

/** OpenSSL's word, or Node's for a wrong name (`ERR_TLS_CERT_ALTNAME_INVALID`). */
export interface CertificateDoubt {
  code: string;
  text: string;
}

/** For an outcome; null: in the clear. The certificate counts as verified when the usual authorities vouch for it. */
export function lineFacts(line: SecuredLine | null): LineFacts {
  if (line === null) return { tls: null, cipher: null, verified: null };
  return { tls: line.version, cipher: line.cipher, verified: line.doubt === null };
}

/** Chains of honest servers have two to four. */
const LONGEST_CHAIN = 16;

/** Reads a line that has just finished its handshake, made with `rejectUnauthorized: false`. */
export function securedLine(socket: TLSSocket): SecuredLine {
  return {
    version: socket.getProtocol() ?? 'unknown',
    cipher: socket.getCipher().standardName,
    doubt: doubtOf(socket),
    chain: () => chainOf(socket),
  };
}

function doubtOf(socket: TLSSocket): CertificateDoubt | null {
  // Node's types call it an Error; it is the error's code.
  const error: unknown = socket.authorizationError;
  if (socket.authorized) return isNamed(socket) ? null : NAMED_BY_SUBJECT;
  const code = typeof error === 'string' ? error : 'UNKNOWN';
  return { code, text: WORDS[code] ?? `the certificate is not trusted (${code})` };
}

/** RFC 8461 §4.1, RFC 9525 §2: a host is proved by subjectAltName. Node takes the subject where that has no name. */
function isNamed(socket: TLSSocket): boolean {
  // An address, which Node looks for nowhere else.
  if (!socket.servername) return true;
  const certificate = socket.getPeerCertificate();
  const subject = { ...certificate.subject, CN: '' };
  return checkServerIdentity(socket.servername, { ...certificate, subject }) === undefined;
}

const NAMED_BY_SUBJECT: CertificateDoubt = {
  code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  text: 'the certificate names the host in its subject alone, not in subjectAltName',
};

const WORDS: Readonly<Record<string, string>> = {
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
  while (next !== undefined && chain.length < LONGEST_CHAIN) {
    const certificate = next;
    // An authority at the top is its own issuer.
    if (chain.some((other) => other.raw.equals(certificate.raw))) break;
    chain.push(certificate);
    next = certificate.issuerCertificate;
  }
  return chain;
}
