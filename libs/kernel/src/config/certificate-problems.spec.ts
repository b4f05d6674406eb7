import { describe, expect, it } from 'vitest';
import { selfSignedCertificate, testAuthority } from '../../../../test/support/fixtures/self-signed-certificate.js';
import { findCertificateProblems } from './certificate-problems.js';

const NAME = 'smtp.post.example.com';
const DAY_MS = 86_400_000;
const authority = testAuthority();
const issued = authority.issue(NAME);
/** The certificates are valid from 29 days ago until tomorrow. */
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
const kinds = (files: { cert: string; key: string }, at = inDays(-25), name = NAME) =>
  findCertificateProblems(files, name, at).map(({ kind }) => kind);

describe('a certificate', () => {
  it('needs a chain to a public root', () => {
    expect(findCertificateProblems(issued, NAME, inDays(-25))).toEqual([
      { kind: 'private_root', root: 'CN=Test Authority' },
    ]);
    const alone = { ...issued, cert: issued.cert.replace(authority.cert, '') };
    expect(findCertificateProblems(alone, NAME, inDays(-25))).toEqual([
      { kind: 'incomplete_chain', issuer: 'CN=Test Authority' },
    ]);
    expect(kinds(selfSignedCertificate(NAME))).toEqual(['self_signed']);
  });

  it('is checked for its validity period', () => {
    expect(kinds(issued, inDays(-21))).toEqual(['private_root']);
    expect(kinds(issued, inDays(-19))).toEqual(['expires_soon', 'private_root']);
    expect(kinds(issued, inDays(2))).toEqual(['expired', 'private_root']);
    expect(kinds(issued, inDays(-40))).toEqual(['not_yet_valid', 'private_root']);
  });

  it('is checked for its names and its key', () => {
    expect(kinds(issued, inDays(-25), 'mail.example.com')).toEqual(['name_mismatch', 'private_root']);
    for (const [key, problem] of [
      [selfSignedCertificate(NAME).key, 'other'],
      ['no key', 'unreadable'],
      ['-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIH\n-----END ENCRYPTED PRIVATE KEY-----', 'encrypted'],
    ])
      expect(findCertificateProblems({ ...issued, key }, NAME, inDays(-25))[0]).toEqual({ kind: 'key', problem });
  });

  it('must be readable', () => {
    expect(kinds({ cert: '', key: '' })).toEqual(['unreadable']);
    const garbage = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    expect(kinds({ cert: garbage, key: issued.key })).toEqual(['unreadable']);
  });
});
