import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError, type Config } from './config.js';

/** What a server shows in TLS. PEM; `cert` may hold a chain, its own certificate first. */
export interface TlsFiles {
  cert: string;
  key: string;
}

/** `encrypted`: nobody is there to type its passphrase. `other`: it is the key of another certificate. */
export type KeyProblem = 'encrypted' | 'unreadable' | 'other';

/**
 * The certificate and key of the files that two settings name; null where they name none.
 * @throws ConfigError with a sentence that names the setting whose file cannot be used
 */
export function readTlsFiles({ settings }: Config, pair: 'HTTP_TLS' | 'SMTP_TLS'): TlsFiles | null {
  const [certName, keyName] = [`${pair}_CERT`, `${pair}_KEY`] as const;
  const { [certName]: certFile, [keyName]: keyFile } = settings;
  if (certFile === undefined || keyFile === undefined) return null;
  const files = {
    cert: trying(`${certName} cannot be read`, () => readFileSync(certFile, 'utf8')),
    key: trying(`${keyName} cannot be read`, () => readFileSync(keyFile, 'utf8')),
  };
  const certificate = trying(`${certName} is no certificate in PEM`, () => new X509Certificate(files.cert));
  const problem = keyProblem(certificate, files.key);
  if (problem !== null) throw new ConfigError(`${keyName} ${REFUSALS[problem](certName)}; it is "${keyFile}".`);
  // What is left to OpenSSL's taste, such as keys that are too short.
  trying(`${certName} cannot be used`, () => createSecureContext(files));
  return files;
}

const REFUSALS: Readonly<Record<KeyProblem, (certName: string) => string>> = {
  encrypted: () => 'is encrypted and must be a key without a passphrase',
  unreadable: () => 'is no private key in PEM',
  other: (certName) => `is not the key of ${certName}`,
};

/** RFC 7468 §11, and the older form of OpenSSL (RFC 1421 §4.6.1.1). */
const ENCRYPTED = /^(?:-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED)/m;

/** Why a key in PEM cannot be used with a certificate; null: it can. */
export function keyProblem(certificate: X509Certificate, key: string): KeyProblem | null {
  if (ENCRYPTED.test(key)) return 'encrypted';
  try {
    return certificate.checkPrivateKey(createPrivateKey(key)) ? null : 'other';
  } catch {
    return 'unreadable';
  }
}

function trying<T>(failing: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new ConfigError(`${failing}: ${(error as Error).message}.`, { cause: error });
  }
}
