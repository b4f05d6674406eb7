import { describe, expect, it } from 'vitest';
import { domainRecords } from './domain-records.js';
import type { Finding } from './verification/finding.js';

const domain = {
  name: 'mail.example.com',
  status: 'pending' as const,
  vouched: false,
  selector: 'plabcdefgh',
  rsaPublic: 'MIIB',
  ed25519Public: 'gE5f',
  findings: [],
};

describe('domainRecords', () => {
  it('lists the required triple first, then what is optional', () => {
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

  it('counts the records that a vouched domain sends by as verified', () => {
    const records = domainRecords({ ...domain, status: 'active', vouched: true }, 'postloft.test');
    expect(records.map((r) => r.status)).toEqual([
      ...(['verified', 'verified', 'verified', 'verified'] as const),
      ...(['pending', 'pending', 'pending'] as const),
    ]);
  });

  it('tells what was seen: verified, wrong, not there yet, and not there though it is needed', () => {
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
});
