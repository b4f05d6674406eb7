import type { DomainRecord, DomainView, TlsPolicy } from '#libs/domains';
import { toResendId } from './resend-id.js';

/** A domain in a list. */
export interface ResendDomainItem {
  id: string;
  name: string;
  status: 'pending' | 'verified' | 'failed';
  created_at: string;
  region: 'eu-west-1';
  open_tracking: boolean;
  click_tracking: boolean;
  tls: TlsPolicy;
  capabilities: { sending: 'enabled'; receiving: 'disabled' };
}

export interface ResendDomain extends ResendDomainItem {
  object: 'domain';
  records: ResendDomainRecord[];
}

/** Theirs have no DMARC; clients show what they do not know, and the domain is not active without it. */
type ResendDomainRecord = Pick<DomainRecord, 'name' | 'value' | 'ttl' | 'status'> &
  (
    | { record: 'SPF' | 'DKIM'; type: 'TXT' | 'CNAME' }
    | { record: 'Tracking'; type: 'CNAME' }
    | { record: 'DMARC'; type: 'TXT' }
  );

/** Of the four regions that their types know, the one in Europe. */
const REGION = 'eu-west-1';

export function resendDomainItem(domain: DomainView): ResendDomainItem {
  const { name, status, created_at, open_tracking, click_tracking, tls } = domain;
  return {
    id: toResendId(domain.id),
    name,
    status: status === 'active' ? 'verified' : status,
    created_at,
    region: REGION,
    open_tracking,
    click_tracking,
    tls,
    capabilities: { sending: 'enabled', receiving: 'disabled' },
  };
}

export function resendDomain(domain: DomainView): ResendDomain {
  const records = domain.records.flatMap(resendRecord);
  return {
    object: 'domain',
    ...resendDomainItem(domain),
    records: [
      ...records.filter(({ record }) => record !== 'DMARC'),
      ...records.filter(({ record }) => record === 'DMARC'),
    ],
  };
}

/** None for what they have no kind for. */
function resendRecord({ record, type, name, value, ttl, status }: DomainRecord): ResendDomainRecord[] {
  const rest = { name, value, ttl, status };
  switch (record) {
    case 'SPF':
    case 'DKIM':
      return [{ record, type, ...rest }];
    case 'Return-Path':
      // Where bounces go is what aligns SPF; they call it so.
      return [{ record: 'SPF', type, ...rest }];
    case 'Tracking':
      return [{ record, type: 'CNAME', ...rest }];
    case 'DMARC':
      return [{ record, type: 'TXT', ...rest }];
    case 'TLS-RPT':
      return [];
  }
}
