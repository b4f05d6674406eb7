import { describe, expect, it } from 'vitest';
import type { KeyState, SigningKey } from '../dkim/key-ring.js';
import type { Finding } from '../verification/finding.js';
import { domainRecords } from './domain-records.js';

const key = (algorithm: 'rsa' | 'ed25519', state: KeyState = 'active'): SigningKey => ({
  id: `${algorithm}-${state}`,
  algorithm,
  selector: `plabcdefgh${state === 'active' ? '' : '2'}${algorithm === 'rsa' ? '' : 'e'}`,
  publicKey: algorithm === 'rsa' ? 'MIIB' : 'gE5f',
  state,
  createdAt: '2026-01-31T09:30:00+00:00',
  verifiedAt: null,
  switchedAt: null,
  retireAt: state === 'retired' ? '2026-02-07T23:59:00+00:00' : null,
});
const domain = {
  id: 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa',
  name: 'mail.example.com',
  status: 'pending' as const,
  vouched: false,
  keys: [key('rsa'), key('ed25519')],
  findings: [],
};

describe('domainRecords', () => {
  it('lists the three required records first, then the optional ones', () => {
    const records = domainRecords(domain, 'postloft.test');
    expect(records.map(({ record, type, name, value, required }) => [record, type, name, value, required])).toEqual([
      ['SPF', 'TXT', 'mail.example.com', 'v=spf1 include:spf.postloft.test ~all', true],
      ['DKIM', 'TXT', 'plabcdefgh._domainkey.mail.example.com', 'v=DKIM1; k=rsa; p=MIIB', true],
      ['DMARC', 'TXT', '_dmarc.mail.example.com', 'v=DMARC1; p=none; rua=mailto:dmarc@postloft.test', true],
      ['DKIM', 'TXT', 'plabcdefghe._domainkey.mail.example.com', 'v=DKIM1; k=ed25519; p=gE5f', false],
      ['Return-Path', 'CNAME', 'bounces.mail.example.com', 'bounces.postloft.test', false],
      ['Tracking', 'CNAME', 'track.mail.example.com', 'track.postloft.test', false],
      ['TLS-RPT', 'TXT', '_smtp._tls.mail.example.com', 'v=TLSRPTv1; rua=mailto:tlsrpt@postloft.test', false],
    ]);
    expect(records[0]).toMatchObject({
      ttl: 'Auto',
      status: 'pending',
      last_checked_at: null,
      observed: [],
      error: null,
    });
  });

  it('lists the records for sending of a vouched domain as not checked, whatever an earlier check found', () => {
    const checked = { observed: ['v=spf1 -all'], checkedAt: '2026-01-31T09:30:00.000Z', lostSince: null };
    const findings: Finding[] = [
      { ...checked, slot: 'spf', status: 'verified', error: null },
      { ...checked, slot: 'dmarc', status: 'wrong', error: 'Add it.' },
    ];
    for (const found of [[], findings]) {
      const records = domainRecords({ ...domain, status: 'active', vouched: true, findings: found }, 'postloft.test');
      expect(records.map((r) => r.status)).toEqual([
        ...(['vouched', 'vouched', 'vouched', 'vouched'] as const),
        ...(['pending', 'pending', 'pending'] as const),
      ]);
      for (const { error } of records.slice(0, 4)) expect(error).toMatch(/^Not checked/);
    }
  });

  it('returns the findings: verified, wrong, missing, and missing though required', () => {
    const checkedAt = '2026-01-31T09:30:00.000Z';
    const finding = { observed: ['v=spf1 -all'], error: 'Add it.', checkedAt, lostSince: null };
    const findings: Finding[] = [
      { ...finding, slot: 'spf', status: 'wrong', value: 'v=spf1 include:spf.postloft.test -all' },
      { ...finding, slot: 'dkim', status: 'verified', error: null },
      { ...finding, slot: 'dmarc', status: 'missing' },
      { ...finding, slot: 'tracking', status: 'missing' },
    ];
    const seen = (status: 'pending' | 'failed') =>
      domainRecords({ ...domain, status, findings }, 'postloft.test').map((r) => r.status);
    expect(seen('pending')).toEqual(['failed', 'verified', 'pending', 'pending', 'pending', 'pending', 'pending']);
    expect(seen('failed')).toEqual(['failed', 'verified', 'failed', 'pending', 'pending', 'pending', 'pending']);
    expect(domainRecords({ ...domain, findings }, 'postloft.test')[0]).toMatchObject({
      value: 'v=spf1 include:spf.postloft.test -all',
      observed: ['v=spf1 -all'],
      error: 'Add it.',
      last_checked_at: checkedAt,
    });
  });

  it('returns the alias target for key records only', () => {
    const records = domainRecords(domain, 'postloft.test');
    expect(records.map(({ cname }) => cname)).toEqual([
      null,
      'plabcdefgh.01978c0e5f7b7c3a9d21f0b64c1e88aa.dkim.postloft.test',
      null,
      'plabcdefghe.01978c0e5f7b7c3a9d21f0b64c1e88aa.dkim.postloft.test',
      null,
      null,
      null,
    ]);
  });

  describe('during a rotation', () => {
    const seen = (state: KeyState, status?: Finding['status']) => {
      const finding = { observed: [], error: 'Add it.', checkedAt: null, lostSince: null };
      const findings: Finding[] = status ? [{ ...finding, slot: `dkim_${state as 'next'}`, status }] : [];
      const keys = [...domain.keys, key('rsa', state), key('ed25519', state)];
      const records = domainRecords({ ...domain, status: 'active', keys, findings }, 'postloft.test');
      expect(records.slice(4, 6).map(({ name, required }) => [name.split('.')[0], required])).toEqual([
        ['plabcdefgh2', false],
        ['plabcdefgh2e', false],
      ]);
      return [records[4].status, records[4].error];
    };

    it('lists the next keys as not required', () => {
      expect(seen('next')).toEqual(['pending', null]);
      expect(seen('next', 'missing')).toEqual(['pending', 'Add it.']);
      expect(seen('next', 'wrong')).toEqual(['failed', 'Add it.']);
      expect(seen('next', 'verified')).toEqual(['verified', expect.stringContaining('second look')]);
    });

    it('lists the replaced keys, and until when they must be kept', () => {
      expect(seen('retired', 'verified')).toEqual(['verified', expect.stringContaining('removed after 2026-02-07')]);
      expect(seen('retired', 'missing')).toEqual(['pending', expect.stringContaining('Put the record back')]);
    });

    it('does not ask to restore a replaced Ed25519 record that may never have been published', () => {
      const keys = [...domain.keys, key('rsa', 'retired'), key('ed25519', 'retired')];
      const observed = { observed: [], error: 'Add it.', checkedAt: null, lostSince: null };
      const findings: Finding[] = [{ ...observed, slot: 'dkim_ed25519_retired', status: 'missing' }];
      const records = domainRecords({ ...domain, status: 'active', keys, findings }, 'postloft.test');
      expect(records[5].error).toBe(
        'This key was replaced. If its record was ever there, put it back until 2026-02-07 for mail that is on its way.',
      );
    });
  });
});
