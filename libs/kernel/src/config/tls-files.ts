import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError, type Config } from './config.js';

/** The certificate and key of a TLS server in PEM. `cert` may be a chain that starts with the server's certificate. */
export interface TlsFiles {
  cert: string;
  key: string;
}

/** `encrypted`: the key needs a passphrase. `other`: the key belongs to another certificate. */
export type KeyProblem = 'encrypted' | 'unreadable' | 'other';

/**
 * The certificate and key from the files of two settings; null if they are not set.
 * @throws ConfigError with a sentence that names the setting of the unusable file
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
  // Checks of OpenSSL, for example of the length of the key.
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

/** Why a key in PEM cannot be used with a certificate; null if it can. */
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

/** The certificate files of the settings, and whether a key belongs to a certificate. */
export const tlsFiles = { read: readTlsFiles, keyProblem };
