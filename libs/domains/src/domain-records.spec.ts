import { describe, expect, it } from 'vitest';
import { domainRecords } from './domain-records.js';

const domain = {
  name: 'mail.example.com',
  status: 'pending' as const,
  vouched: false,
  selector: 'plabcdefgh',
  rsaPublic: 'MIIB',
  ed25519Public: 'gE5f',
};

describe('domainRecords', () => {
  it('lists the required triple and the optional second DKIM key', () => {
    const records = domainRecords(domain, 'postloft.test');
    expect(records.map(({ record, type, name, value, required }) => [record, type, name, value, required])).toEqual([
      ['SPF', 'TXT', 'mail.example.com', 'v=spf1 include:spf.postloft.test ~all', true],
      ['DKIM', 'TXT', 'plabcdefgh._domainkey.mail.example.com', 'v=DKIM1; k=rsa; p=MIIB', true],
      ['DKIM', 'TXT', 'plabcdefghe._domainkey.mail.example.com', 'v=DKIM1; k=ed25519; p=gE5f', false],
      ['DMARC', 'TXT', '_dmarc.mail.example.com', 'v=DMARC1; p=none; rua=mailto:dmarc@postloft.test', true],
    ]);
    expect(records[0]).toMatchObject({
      ttl: 'Auto',
      status: 'pending',
      last_checked_at: null,
      observed: [],
      error: null,
    });
  });

  it('counts the records of a vouched domain as verified', () => {
    const records = domainRecords({ ...domain, status: 'active', vouched: true }, 'postloft.test');
    expect(new Set(records.map((r) => r.status))).toEqual(new Set(['verified']));
  });
});
