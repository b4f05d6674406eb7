import type { DomainView } from '#libs/domains';
import type { DomainRecordDto } from '../../rest/domains/domains.dto.js';
import type { CreateDomainResponseSuccess, GetDomainResponseSuccess, ListDomainsResponseSuccess } from 'resend';
import { describe, expect, it } from 'vitest';
import { toResendDomain, toResendDomainItem } from './resend-domain.js';

const record = (kind: DomainRecordDto['record'], type: DomainRecordDto['type']): DomainRecordDto => ({
  record: kind,
  type,
  name: `${kind}.example.com`,
  value: kind,
  cname: null,
  ttl: 'Auto',
  status: 'failed',
  required: true,
  last_checked_at: null,
  observed: [],
  error: 'is not there',
});
const view = {
  id: 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa',
  object: 'domain',
  name: 'example.com',
  status: 'active',
  created_at: '2026-01-31T09:30:00.000Z',
  region: 'eu',
  open_tracking: true,
  click_tracking: false,
  tracking_privacy: false,
  tracking_exclude: [],
  tls: 'enforced',
  envelope: 'shared',
  body_retention_days: null,
  captured_retention_days: null,
  verified_at: null,
  warning_since: null,
  last_checked_at: null,
  dkim: { signing_since: null, rotation: null, cnames: [] },
  records: [
    record('DMARC', 'TXT'),
    record('SPF', 'TXT'),
    record('DKIM', 'TXT'),
    record('Return-Path', 'CNAME'),
    record('Tracking', 'CNAME'),
    record('TLS-RPT', 'TXT'),
  ],
} satisfies DomainView;

describe('domains of the Resend API', () => {
  it('have the types of the package', () => {
    const domain = toResendDomain(view);
    expect(domain satisfies GetDomainResponseSuccess satisfies CreateDomainResponseSuccess).toMatchObject({
      id: '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa',
      status: 'verified',
    });
    const item = toResendDomainItem(view) satisfies ListDomainsResponseSuccess['data'][number];
    expect(domain).toMatchObject(item);
  });

  it.each([
    ['eu', 'eu-west-1'],
    ['us', 'us-east-1'],
    ['us-west-2', 'us-east-1'],
    ['ap-northeast-1', 'ap-northeast-1'],
    ['sa-1', 'sa-east-1'],
    ['home', 'eu-west-1'],
  ])('show the region %s as %s', (region, shown) => {
    expect(toResendDomainItem({ ...view, region }).region).toBe(shown);
  });

  it('list the return path as SPF, no record of an unknown kind, and DMARC beside them', () => {
    expect(toResendDomain(view).records.map(({ record: kind, type }) => [kind, type])).toEqual([
      ['SPF', 'TXT'],
      ['DKIM', 'TXT'],
      ['SPF', 'CNAME'],
      ['Tracking', 'CNAME'],
    ]);
    expect(toResendDomain(view).dmarc).toEqual({
      type: 'TXT',
      name: 'DMARC.example.com',
      value: 'DMARC',
      ttl: 'Auto',
      status: 'failed',
    });
  });

  it('show records that nobody checks as not started, since clients know no other word for it', () => {
    const records = [
      { ...record('SPF', 'TXT'), status: 'vouched' as const },
      { ...record('DMARC', 'TXT'), status: 'vouched' as const },
    ];
    const domain = toResendDomain({ ...view, records });
    expect(domain satisfies GetDomainResponseSuccess).toMatchObject({
      status: 'verified',
      records: [{ status: 'not_started' }],
      dmarc: { status: 'not_started' },
    });
  });

  it.each(['pending', 'failed'] as const)('keep the status %s', (status) => {
    expect(toResendDomain({ ...view, status }).status).toBe(status);
  });
});
