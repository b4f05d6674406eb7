import { resendRegion, type ResendRegion } from '#libs/contracts';
import type { DomainRecord, DomainView, TlsPolicy } from '#libs/domains';
import { toResendId } from '../resend-id.js';

/** A domain in a list. */
export interface ResendDomainItem {
  id: string;
  name: string;
  status: 'pending' | 'verified' | 'failed';
  created_at: string;
  region: ResendRegion;
  open_tracking: boolean;
  click_tracking: boolean;
  tls: TlsPolicy;
  capabilities: { sending: 'enabled'; receiving: 'disabled' };
}

export interface ResendDomain extends ResendDomainItem {
  object: 'domain';
  records: ResendDomainRecord[];
}

/** Resend has no DMARC record. It is added because a domain without it never becomes active; clients show it as it is. */
type ResendDomainRecord = Pick<DomainRecord, 'name' | 'value' | 'ttl' | 'status'> &
  (
    | { record: 'SPF' | 'DKIM'; type: 'TXT' | 'CNAME' }
    | { record: 'Tracking'; type: 'CNAME' }
    | { record: 'DMARC'; type: 'TXT' }
  );

export function toResendDomainItem(domain: DomainView): ResendDomainItem {
  const { name, status, created_at, open_tracking, click_tracking, tls } = domain;
  return {
    id: toResendId(domain.id),
    name,
    status: status === 'active' ? 'verified' : status,
    created_at,
    region: resendRegion(domain.region),
    open_tracking,
    click_tracking,
    tls,
    capabilities: { sending: 'enabled', receiving: 'disabled' },
  };
}

export function toResendDomain(domain: DomainView): ResendDomain {
  const records = domain.records.flatMap(toResendRecords);
  return {
    object: 'domain',
    ...toResendDomainItem(domain),
    records: [
      ...records.filter(({ record }) => record !== 'DMARC'),
      ...records.filter(({ record }) => record === 'DMARC'),
    ],
  };
}

/** Empty for a record that Resend has no kind for. */
function toResendRecords({ record, type, name, value, ttl, status }: DomainRecord): ResendDomainRecord[] {
  const rest = { name, value, ttl, status };
  switch (record) {
    case 'SPF':
    case 'DKIM':
      return [{ record, type, ...rest }];
    case 'Return-Path':
      // The return path aligns SPF; Resend calls this record SPF.
      return [{ record: 'SPF', type, ...rest }];
    case 'Tracking':
      return [{ record, type: 'CNAME', ...rest }];
    case 'DMARC':
      return [{ record, type: 'TXT', ...rest }];
    case 'TLS-RPT':
      return [];
  }
}
