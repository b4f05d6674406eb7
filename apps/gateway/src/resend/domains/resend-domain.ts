import { resendRegion, type ResendRegion } from '#libs/contracts';
import type { DomainView } from '#libs/domains';
import type { DomainRecordDto } from '../../rest/domains/domains.dto.js';
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
  tls: DomainView['tls'];
  capabilities: { sending: 'enabled'; receiving: 'disabled' };
}

type RecordFields = Pick<DomainRecordDto, 'name' | 'value' | 'ttl'> & {
  status: Exclude<DomainRecordDto['status'], 'vouched'> | 'not_started';
};
type ResendDomainRecord = RecordFields &
  ({ record: 'SPF' | 'DKIM'; type: 'TXT' | 'CNAME' } | { record: 'Tracking'; type: 'CNAME' });

export interface ResendDomain extends ResendDomainItem {
  object: 'domain';
  /** Only kinds that Resend has: strict clients fail at any other. */
  records: ResendDomainRecord[];
  /** Not a field of Resend. A domain never becomes verified without this record. */
  dmarc: (RecordFields & { type: 'TXT' }) | null;
}

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
  const dmarc = domain.records.find(({ record }) => record === 'DMARC');
  return {
    object: 'domain',
    ...toResendDomainItem(domain),
    records: domain.records.flatMap(toResendRecords),
    dmarc: dmarc === undefined ? null : { type: 'TXT', ...fieldsOf(dmarc) },
  };
}

/** Resend has no word for a record that is not checked. `not_started` claims nothing about it. */
const fieldsOf = ({ name, value, ttl, status }: DomainRecordDto): RecordFields => ({
  name,
  value,
  ttl,
  status: status === 'vouched' ? 'not_started' : status,
});

/** Empty for a record that Resend has no kind for. */
function toResendRecords(row: DomainRecordDto): ResendDomainRecord[] {
  const { record, type } = row;
  const rest = fieldsOf(row);
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
    case 'TLS-RPT':
      return [];
  }
}
