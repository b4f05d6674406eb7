import { createHash, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { selfSignedCertificate, testAuthority } from '../../../../test/support/fixtures/self-signed-certificate.js';
import { isUsable, verifyTlsa, tlsaText } from './tlsa.js';
import type { TlsaRecord } from '#libs/dns';

const NAME = 'mx1.to.test';
const authority = testAuthority();
const root = new X509Certificate(authority.cert);
const chainOf = (pem: string) =>
  (pem.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map((one) => new X509Certificate(one));
const chain = chainOf(authority.issue(NAME).cert);
const [leaf] = chain;
const selfSigned = chainOf(selfSignedCertificate('elsewhere.test', true).cert);

/** @param kind For example `3 1 1`. */
function record(kind: string, certificate: X509Certificate): TlsaRecord {
  const [usage, selector, matchingType] = kind.split(' ').map(Number);
  const shown = selector === 0 ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' });
  const digest = ['', 'sha256', 'sha512'][matchingType];
  const data = digest === '' ? shown : createHash(digest).update(shown).digest();
  return { usage, selector, matchingType, data };
}

const faultOf = (certificates: X509Certificate[], ...records: TlsaRecord[]) =>
  verifyTlsa(certificates, { records, names: [NAME] })?.type ?? null;

describe('TLSA usage 3, the certificate of the server', () => {
  it.each([0, 1].flatMap((selector) => [0, 1, 2].map((matching) => [selector, matching])))(
    '3 %i %i matches, whatever its name and dates',
    (selector, matching) => {
      expect(faultOf(chain, record(`3 ${selector} ${matching}`, leaf))).toBeNull();
      expect(faultOf(selfSigned, record(`3 ${selector} ${matching}`, selfSigned[0]))).toBeNull();
      expect(faultOf(chain, record(`3 ${selector} ${matching}`, root))).toBe('certificate-not-trusted');
    },
  );

  it('matches if one of several records does', () => {
    expect(faultOf(chain, record('3 1 1', selfSigned[0]), record('3 1 1', leaf))).toBeNull();
  });
});

describe('TLSA usage 2, an authority', () => {
  it.each([0, 1].flatMap((selector) => [0, 1, 2].map((matching) => [selector, matching])))(
    '2 %i %i matches the chain and the name',
    (selector, matching) => {
      expect(faultOf(chain, record(`2 ${selector} ${matching}`, root))).toBeNull();
      expect(faultOf(chain, record(`2 ${selector} ${matching}`, leaf))).toBe('certificate-not-trusted');
    },
  );

  it('may be absent from the handshake if the record contains it completely', () => {
    expect(faultOf([leaf], record('2 0 0', root))).toBeNull();
    expect(faultOf([leaf], record('2 1 0', root))).toBeNull();
    expect(faultOf([leaf], record('2 1 1', root))).toBe('certificate-not-trusted');
  });

  it('does not vouch for a certificate that it did not issue', () => {
    expect(faultOf([selfSigned[0], root], record('2 1 1', root))).toBe('certificate-not-trusted');
    const impostor = new X509Certificate(testAuthority().cert);
    expect(faultOf([leaf, impostor], record('2 1 1', impostor))).toBe('certificate-not-trusted');
  });

  it('does not vouch for what a server certificate signed', () => {
    // The leaf signs like an authority here, but its certificate does not allow that.
    expect(faultOf([selfSigned[0], leaf, root], record('2 1 1', root))).toBe('certificate-not-trusted');
  });

  it('requires the name and valid dates', () => {
    expect(faultOf(chainOf(authority.issue('elsewhere.test').cert), record('2 1 1', root))).toBe(
      'certificate-host-mismatch',
    );
    expect(faultOf(chainOf(authority.issue(NAME, true).cert), record('2 1 1', root))).toBe('certificate-expired');
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
    ['an unreadable certificate', { ...good, selector: 0, matchingType: 0 }, false],
    ['an unreadable key', { ...good, matchingType: 0 }, false],
  ])('with %s is usable: %s', (_, one, usable) => expect(isUsable(one)).toBe(usable));

  it('has the presentation form of zone files', () => {
    expect(tlsaText({ ...good, data: Buffer.from('00ff', 'hex') })).toBe('3 1 1 00ff');
  });

  it('matches nothing if the server sent no certificate', () => expect(faultOf([], good)).toBe('validation-failure'));
});
