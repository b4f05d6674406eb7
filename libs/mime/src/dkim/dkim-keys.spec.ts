import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { countTurns } from '../../../../test/support/timing/count-turns.js';
import { dkimRecordValue, generateDkimKeys } from './dkim-keys.js';

describe('generateDkimKeys', () => {
  it('generates matching pairs in the formats of DNS records', async () => {
    const { rsa, ed25519 } = await generateDkimKeys();
    const data = Buffer.from('x');
    const rsaPublic = createPublicKey({ key: Buffer.from(rsa.publicKeyBase64, 'base64'), format: 'der', type: 'spki' });
    expect(rsaPublic.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(verify('sha256', data, rsaPublic, sign('sha256', data, createPrivateKey(rsa.privateKeyPem)))).toBe(true);
    const raw = Buffer.from(ed25519.publicKeyBase64, 'base64');
    expect(raw).toHaveLength(32);
    const edPublic = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
      format: 'jwk',
    });
    expect(verify(null, data, edPublic, sign(null, data, createPrivateKey(ed25519.privateKeyPem)))).toBe(true);
  });

  it('makes keys beside the event loop', async () => {
    const counter = countTurns();
    await generateDkimKeys();
    counter.running = false;
    // Made on the event loop, they would be there before its next turn.
    expect(counter.turn).toBeGreaterThan(0);
  });
});

describe('dkimRecordValue', () => {
  it('contains the type of the key', () => {
    expect(dkimRecordValue('rsa-sha256', 'AAAA')).toBe('v=DKIM1; k=rsa; p=AAAA');
    expect(dkimRecordValue('ed25519-sha256', 'BBBB')).toBe('v=DKIM1; k=ed25519; p=BBBB');
  });
});
