import { dkimRecordValue } from '#libs/mime';
import type { DomainEntity } from './domain.entity.js';
import { ed25519Selector } from './selector.js';

/** One DNS record to set (D-44). Timestamps are ISO 8601 UTC. */
export interface DomainRecord {
  record: 'SPF' | 'DKIM' | 'DMARC';
  type: 'TXT';
  name: string;
  value: string;
  ttl: 'Auto';
  status: 'pending' | 'verified' | 'failed';
  /** The domain becomes active when all required records are verified. */
  required: boolean;
  last_checked_at: string | null;
  /** What DNS said at the last check. */
  observed: string[];
  error: string | null;
}

type RecordsOf = Pick<DomainEntity, 'name' | 'status' | 'vouched' | 'selector' | 'rsaPublic' | 'ed25519Public'>;

/** The records of a domain, as its owner should publish them. Those of a vouched domain count as verified. */
export function domainRecords(domain: RecordsOf, serviceDomain: string): DomainRecord[] {
  const { name, selector } = domain;
  const dkim = (at: string) => `${at}._domainkey.${name}`;
  const record = (of: Pick<DomainRecord, 'record' | 'name' | 'value' | 'required'>): DomainRecord => ({
    record: of.record,
    type: 'TXT',
    name: of.name,
    value: of.value,
    ttl: 'Auto',
    status: recordStatus(domain),
    required: of.required,
    last_checked_at: null,
    observed: [],
    error: null,
  });
  return [
    record({ record: 'SPF', name, value: `v=spf1 include:spf.${serviceDomain} ~all`, required: true }),
    record({
      record: 'DKIM',
      name: dkim(selector),
      value: dkimRecordValue('rsa-sha256', domain.rsaPublic),
      required: true,
    }),
    record({
      record: 'DKIM',
      name: dkim(ed25519Selector(selector)),
      value: dkimRecordValue('ed25519-sha256', domain.ed25519Public),
      required: false,
    }),
    record({
      record: 'DMARC',
      name: `_dmarc.${name}`,
      value: `v=DMARC1; p=none; rua=mailto:dmarc@${serviceDomain}`,
      required: true,
    }),
  ];
}

function recordStatus({ status, vouched }: RecordsOf): DomainRecord['status'] {
  if (vouched) return 'verified';
  return status === 'active' ? 'verified' : status;
}
