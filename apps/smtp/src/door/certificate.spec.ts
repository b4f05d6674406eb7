import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import pino from 'pino';
import { loadConfig, Log } from '#libs/kernel';
import { selfSignedCertificate } from '../../../../test/support/self-signed-certificate.js';
import { loadCertificate } from './certificate.js';

const NOBODY = 65_534;

describe('the certificate of an operator who gives none', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'postloft-certificate-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const config = (domain = 'post.example') => loadConfig('standalone', { DATA_DIR: dir, SERVICE_DOMAIN: domain });
  const keyFile = () => join(dir, 'smtp-certificate-key.pem');
  const lines: string[] = [];
  const log = new Log(pino({}, { write: (line: string) => lines.push(line) }));

  /** Root may write everywhere, so the work is done as nobody. */
  async function inReadOnlyFolder(work: () => Promise<void>): Promise<void> {
    const isRoot = process.getuid?.() === 0;
    if (isRoot) for (const name of ['.', ...readdirSync(dir)]) chownSync(join(dir, name), NOBODY, NOBODY);
    chmodSync(dir, 0o500);
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      await work();
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(dir, 0o700);
    }
  }

  it('is made once for the names of the relay, with a key on the curve that is cheapest to sign with', async () => {
    const doors = config();
    const [kept, beside] = await Promise.all([loadCertificate(doors, log), loadCertificate(doors, log)]);
    expect(beside).toEqual(kept);
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

  it('is made anew when the service has another name, and that is told', async () => {
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

  it('is made anew when its key is that of another program, which wrote at the same time', async () => {
    await loadCertificate(config(), log);
    for (const spoil of [
      () => writeFileSync(keyFile(), selfSignedCertificate('smtp.post.example').key),
      () => rmSync(keyFile()),
    ]) {
      spoil();
      const { cert, key } = await loadCertificate(config(), log);
      expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
      expect(lines.splice(0)).toEqual([expect.stringContaining('made anew: its key')]);
    }
    expect(readdirSync(dir).toSorted()).toEqual(['smtp-certificate-key.pem', 'smtp-certificate.pem']);
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  });

  it('stays, and that is told, when the service has another name but its folder cannot be written', async () => {
    const old = await loadCertificate(config(), log);
    await inReadOnlyFolder(async () => {
      expect(await loadCertificate(config('mail.example'), log)).toEqual(old);
      expect(lines.splice(0)).toEqual([expect.stringMatching(/EACCES.*smtp\.mail\.example, and a new one cannot/)]);
    });
  });

  it('is left alone when it is not of our making', async () => {
    const { cert, key } = selfSignedCertificate('smtp.elsewhere.example');
    writeFileSync(join(dir, 'smtp-certificate.pem'), cert);
    writeFileSync(join(dir, 'smtp-certificate-key.pem'), key);
    expect(await loadCertificate(config(), log)).toEqual({ cert, key });
    expect(readFileSync(join(dir, 'smtp-certificate.pem'), 'utf8')).toBe(cert);
    expect(lines).toEqual([]);
  });
});
