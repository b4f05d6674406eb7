import { createHash, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { selfSignedCertificate, testAuthority } from '../../../../test/support/self-signed-certificate.js';
import { isUsable, tlsaDoubt, tlsaText } from './tlsa.js';
import type { TlsaRecord } from './tlsa.js';

const NAME = 'mx1.to.test';
const authority = testAuthority();
const root = new X509Certificate(authority.cert);
const chainOf = (pem: string) =>
  (pem.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map((one) => new X509Certificate(one));
const chain = chainOf(authority.issue(NAME).cert);
const [leaf] = chain;
const selfSigned = chainOf(selfSignedCertificate('elsewhere.test', true).cert);

/** `3 1 1` of a certificate. */
function record(kind: string, certificate: X509Certificate): TlsaRecord {
  const [usage, selector, matchingType] = kind.split(' ').map(Number);
  const shown = selector === 0 ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' });
  const digest = ['', 'sha256', 'sha512'][matchingType];
  const data = digest === '' ? shown : createHash(digest).update(shown).digest();
  return { usage, selector, matchingType, data };
}

const doubt = (certificates: X509Certificate[], ...records: TlsaRecord[]) =>
  tlsaDoubt(certificates, { records, names: [NAME] })?.type ?? null;

describe('TLSA usage 3, the server’s own certificate', () => {
  it.each([0, 1].flatMap((selector) => [0, 1, 2].map((matching) => [selector, matching])))(
    '3 %i %i matches, whatever name and dates it has',
    (selector, matching) => {
      expect(doubt(chain, record(`3 ${selector} ${matching}`, leaf))).toBeNull();
      expect(doubt(selfSigned, record(`3 ${selector} ${matching}`, selfSigned[0]))).toBeNull();
      expect(doubt(chain, record(`3 ${selector} ${matching}`, root))).toBe('certificate-not-trusted');
    },
  );

  it('is good when one of several records matches', () => {
    expect(doubt(chain, record('3 1 1', selfSigned[0]), record('3 1 1', leaf))).toBeNull();
  });
});

describe('TLSA usage 2, an authority', () => {
  it.each([0, 1].flatMap((selector) => [0, 1, 2].map((matching) => [selector, matching])))(
    '2 %i %i matches the chain and the name',
    (selector, matching) => {
      expect(doubt(chain, record(`2 ${selector} ${matching}`, root))).toBeNull();
      expect(doubt(chain, record(`2 ${selector} ${matching}`, leaf))).toBe('certificate-not-trusted');
    },
  );

  it('may be left out of the handshake when the record holds all of it', () => {
    expect(doubt([leaf], record('2 0 0', root))).toBeNull();
    expect(doubt([leaf], record('2 1 0', root))).toBeNull();
    expect(doubt([leaf], record('2 1 1', root))).toBe('certificate-not-trusted');
  });

  it('is no use to a stranger who shows its certificate behind his own', () => {
    expect(doubt([selfSigned[0], root], record('2 1 1', root))).toBe('certificate-not-trusted');
    const impostor = new X509Certificate(testAuthority().cert);
    expect(doubt([leaf, impostor], record('2 1 1', impostor))).toBe('certificate-not-trusted');
  });

  it('does not pass on what a mere server signed', () => {
    // The leaf stands for an authority here, but its certificate does not make it one.
    expect(doubt([selfSigned[0], leaf, root], record('2 1 1', root))).toBe('certificate-not-trusted');
  });

  it('wants the name and the dates', () => {
    expect(doubt(chainOf(authority.issue('elsewhere.test').cert), record('2 1 1', root))).toBe(
      'certificate-host-mismatch',
    );
    expect(doubt(chainOf(authority.issue(NAME, true).cert), record('2 1 1', root))).toBe('certificate-expired');
  });
});

describe('a TLSA record', () => {
  const good = record('3 1 1', leaf);
  it.each<[string, TlsaRecord, boolean]>([
    ['3 1 1', good, true],
    ['2 0 2', record('2 0 2', root), true],
    ['usage 0', { ...good, usage: 0 }, false],
    ['usage 1', { ...good, usage: 1 }, false],
    ['usage 255', { ...good, usage: 255 }, false],
    ['selector 2', { ...good, selector: 2 }, false],
    ['matching 3', { ...good, matchingType: 3 }, false],
    ['a short digest', { ...good, data: good.data.subarray(1) }, false],
    ['an empty digest', { ...good, data: Buffer.alloc(0) }, false],
    ['a certificate that does not read', { ...good, selector: 0, matchingType: 0 }, false],
    ['a key that does not read', { ...good, matchingType: 0 }, false],
  ])('with %s is usable: %s', (_, one, usable) => expect(isUsable(one)).toBe(usable));

  it('is shown as zone files have it', () => {
    expect(tlsaText({ ...good, data: Buffer.from('00ff', 'hex') })).toBe('3 1 1 00ff');
  });

  it('matches nothing when no certificate was shown', () => expect(doubt([], good)).toBe('validation-failure'));
});
