import { describe, expect, it } from 'vitest';
import { selfSignedCertificate, testAuthority } from '../../../../test/support/self-signed-certificate.js';
import { judgeCertificate } from './certificate-judgement.js';

const NAME = 'smtp.post.example.com';
const DAY_MS = 86_400_000;
const authority = testAuthority();
const issued = authority.issue(NAME);
/** Certificates of the tests live for a day from now, and for 29 before. */
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const kinds = (files: { cert: string; key: string }, at = inDays(-25), name = NAME) =>
  judgeCertificate(files, name, at).map(({ kind }) => kind);

describe('a certificate', () => {
  it('is as good as the authority behind it', () => {
    expect(judgeCertificate(issued, NAME, inDays(-25))).toEqual([{ kind: 'own_root', root: 'CN=Test Authority' }]);
    const alone = { ...issued, cert: issued.cert.replace(authority.cert, '') };
    expect(judgeCertificate(alone, NAME, inDays(-25))).toEqual([
      { kind: 'incomplete_chain', issuer: 'CN=Test Authority' },
    ]);
    expect(kinds(selfSignedCertificate(NAME))).toEqual(['self_signed']);
  });

  it('has its time', () => {
    expect(kinds(issued, inDays(-21))).toEqual(['own_root']);
    expect(kinds(issued, inDays(-19))).toEqual(['expires_soon', 'own_root']);
    expect(kinds(issued, inDays(2))).toEqual(['expired', 'own_root']);
    expect(kinds(issued, inDays(-40))).toEqual(['not_yet', 'own_root']);
  });

  it('stands for its names, with its own key', () => {
    expect(kinds(issued, inDays(-25), 'mail.example.com')).toEqual(['other_names', 'own_root']);
    for (const [key, problem] of [
      [selfSignedCertificate(NAME).key, 'other'],
      ['no key', 'unreadable'],
      ['-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIH\n-----END ENCRYPTED PRIVATE KEY-----', 'encrypted'],
    ])
      expect(judgeCertificate({ ...issued, key }, NAME, inDays(-25))[0]).toEqual({ kind: 'key', problem });
  });

  it('is one at all', () => {
    expect(kinds({ cert: '', key: '' })).toEqual(['unreadable']);
    const garbage = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    expect(kinds({ cert: garbage, key: issued.key })).toEqual(['unreadable']);
  });
});
