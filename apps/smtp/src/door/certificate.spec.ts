import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '#libs/kernel';
import { loadCertificate } from './certificate.js';

describe('the certificate of an operator who gives none', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'postloft-certificate-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const config = () => loadConfig('standalone', { DATA_DIR: dir, SERVICE_DOMAIN: 'post.example' });

  it('is made once for the names of the relay, with a key on the curve that is cheapest to sign with', async () => {
    const doors = config();
    const [kept, beside] = await Promise.all([loadCertificate(doors), loadCertificate(doors)]);
    expect(beside).toEqual(kept);
    const certificate = new X509Certificate(kept.cert);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(certificate.checkPrivateKey(createPrivateKey(kept.key))).toBe(true);
    for (const host of ['smtp.post.example', 'localhost']) expect(certificate.checkHost(host)).toBe(host);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(new Date(certificate.validTo).getTime() - Date.now()).toBeGreaterThan(9 * 365 * 24 * 3_600_000);
    expect(statSync(join(dir, 'smtp-certificate-key.pem')).mode & 0o777).toBe(0o600);
    expect(await loadCertificate(config())).toEqual(kept);
  });
});
