import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pino from 'pino';
import { loadConfig, Log } from '#libs/kernel';
import { selfSignedCertificate } from '../../../../test/support/fixtures/self-signed-certificate.js';
import { loadCertificate } from './certificate.js';

describe('the self-signed certificate', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'postloft-certificate-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const config = (domain = 'post.example') => loadConfig('standalone', { DATA_DIR: dir, SERVICE_DOMAIN: domain });
  const keyFile = () => join(dir, 'smtp-certificate-key.pem');
  const lines: string[] = [];
  const log = new Log(pino({}, { write: (line: string) => lines.push(line) }));

  it('is generated once for the names of the relay, with a P-256 key', async () => {
    const shared = config();
    const [kept, second] = await Promise.all([loadCertificate(shared, log), loadCertificate(shared, log)]);
    expect(second).toEqual(kept);
    const certificate = new X509Certificate(kept.cert);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(certificate.checkPrivateKey(createPrivateKey(kept.key))).toBe(true);
    for (const host of ['smtp.post.example', 'localhost']) expect(certificate.checkHost(host)).toBe(host);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(new Date(certificate.validTo).getTime() - Date.now()).toBeGreaterThan(9 * 365 * 24 * 3_600_000);
    expect(statSync(join(dir, 'smtp-certificate-key.pem')).mode & 0o777).toBe(0o600);
    expect(await loadCertificate(config(), log)).toEqual(kept);
    expect(lines).toEqual([]);
  });

  it('is replaced, with a warning, when the name of the service changes', async () => {
    const old = await loadCertificate(config(), log);
    const renewed = await loadCertificate(config('mail.example'), log);
    const certificate = new X509Certificate(renewed.cert);
    expect(certificate.checkHost('smtp.mail.example')).toBe('smtp.mail.example');
    expect(certificate.checkHost('smtp.post.example')).toBeUndefined();
    expect(certificate.checkPrivateKey(createPrivateKey(renewed.key))).toBe(true);
    expect(renewed.key).not.toBe(old.key);
    expect(lines.splice(0)).toEqual([expect.stringContaining('smtp.mail.example')]);
    expect(await loadCertificate(config('mail.example'), log)).toEqual(renewed);
    expect(lines).toEqual([]);
  });

  it('is replaced, with a warning, when its key is missing or does not match', async () => {
    await loadCertificate(config(), log);
    for (const damage of [
      () => writeFileSync(keyFile(), selfSignedCertificate('smtp.post.example').key),
      () => rmSync(keyFile()),
    ]) {
      damage();
      const { cert, key } = await loadCertificate(config(), log);
      expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
      expect(lines.splice(0)).toEqual([expect.stringContaining('replaced: its key')]);
    }
    expect(readdirSync(dir).toSorted()).toEqual(['smtp-certificate-key.pem', 'smtp-certificate.pem']);
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  });

  it('is not replaced when the operator has put it there', async () => {
    const { cert, key } = selfSignedCertificate('smtp.elsewhere.example');
    writeFileSync(join(dir, 'smtp-certificate.pem'), cert);
    writeFileSync(join(dir, 'smtp-certificate-key.pem'), key);
    expect(await loadCertificate(config(), log)).toEqual({ cert, key });
    expect(readFileSync(join(dir, 'smtp-certificate.pem'), 'utf8')).toBe(cert);
    expect(lines).toEqual([]);
  });
});
