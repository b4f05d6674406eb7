import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { selfSignedCertificate } from '../../../../test/support/fixtures/self-signed-certificate.js';
import { ConfigError, loadConfig } from './config.js';
import { keyProblem, readTlsFiles } from './tls-files.js';

const dir = mkdtempSync(join(tmpdir(), 'postloft-tls-'));
afterAll(() => rmSync(dir, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

const { cert, key } = selfSignedCertificate('smtp.post.example');
const encrypted = createPrivateKey(key)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
  .toString();
const read = (env: Record<string, string>) => readTlsFiles(loadConfig('standalone', env), 'SMTP_TLS');
const problemOf = (SMTP_TLS_CERT: string, SMTP_TLS_KEY: string): string => {
  try {
    read({ SMTP_TLS_CERT, SMTP_TLS_KEY });
    return 'none';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
};

describe('readTlsFiles', () => {
  const certFile = file('cert.pem', cert);
  const keyFile = file('key.pem', key);

  it('reads the files if both are set', () => {
    expect(read({ SMTP_TLS_CERT: certFile, SMTP_TLS_KEY: keyFile })).toEqual({ cert, key });
    expect(read({})).toBeNull();
  });

  it('rejects unusable files in one sentence that names the setting', () => {
    const missing = join(dir, 'missing.pem');
    expect(problemOf(missing, keyFile)).toMatch(/^SMTP_TLS_CERT cannot be read: ENOENT: .*missing\.pem'\.$/);
    expect(problemOf(certFile, missing)).toMatch(/^SMTP_TLS_KEY cannot be read: ENOENT: .*missing\.pem'\.$/);
    expect(problemOf(keyFile, keyFile)).toMatch(/^SMTP_TLS_CERT is no certificate in PEM: [^\n]+\.$/);
    expect(problemOf(certFile, certFile)).toBe(`SMTP_TLS_KEY is no private key in PEM; it is "${certFile}".`);
    const other = file('other.pem', selfSignedCertificate('smtp.post.example').key);
    expect(problemOf(certFile, other)).toBe(`SMTP_TLS_KEY is not the key of SMTP_TLS_CERT; it is "${other}".`);
    const locked = file('locked.pem', encrypted);
    expect(problemOf(certFile, locked)).toBe(
      `SMTP_TLS_KEY is encrypted and must be a key without a passphrase; it is "${locked}".`,
    );
  });
});

describe('keyProblem', () => {
  it('is recognised as the key of the certificate or of another one', () => {
    const certificate = new X509Certificate(cert);
    expect(keyProblem(certificate, key)).toBeNull();
    expect(keyProblem(certificate, selfSignedCertificate('x.example').key)).toBe('other');
    expect(keyProblem(certificate, encrypted)).toBe('encrypted');
    const older = '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,72\n\nvss0\n';
    expect(keyProblem(certificate, older)).toBe('encrypted');
    expect(keyProblem(certificate, 'no key')).toBe('unreadable');
  });
});
