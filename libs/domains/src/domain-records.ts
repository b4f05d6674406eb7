import type { DomainEntity } from './domain.entity.js';
import { expectedRecords, REQUIRED_SLOTS, type RecordKind, type RecordsOf, type Slot } from './expected-records.js';
import type { Finding } from './verification/finding.js';

/** One DNS record to set (D-44). Timestamps are ISO 8601 UTC. */
export interface DomainRecord {
  record: RecordKind;
  type: 'TXT' | 'CNAME';
  name: string;
  /** What should stand there; of SPF an existing record with our include merged into it. */
  value: string;
  ttl: 'Auto';
  status: 'pending' | 'verified' | 'failed';
  /** The domain becomes active when all required records are verified. */
  required: boolean;
  /** When DNS last answered. */
  last_checked_at: string | null;
  /** What DNS said at the last check. */
  observed: string[];
  /** What is wrong and what to do about it; beside `verified`, a warning. */
  error: string | null;
}

const NOTHING_YET: Omit<Finding, 'slot' | 'lostSince'> = {
  status: 'unknown',
  observed: [],
  error: null,
  checkedAt: null,
};

/** What the operator vouches for: the records that mail is signed and sent by. */
const VOUCHED_SLOTS: readonly Slot[] = [...REQUIRED_SLOTS, 'dkim_ed25519'];

/** The records of a domain, as its owner should publish them, with what was last seen of them. */
export function domainRecords(
  domain: RecordsOf & Pick<DomainEntity, 'status' | 'vouched' | 'findings'>,
  serviceDomain: string,
): DomainRecord[] {
  return expectedRecords(domain, serviceDomain).map(({ slot, record, type, name, value }) => {
    const required = REQUIRED_SLOTS.includes(slot);
    const vouched = domain.vouched && VOUCHED_SLOTS.includes(slot);
    const finding = domain.findings.find((each) => each.slot === slot) ?? NOTHING_YET;
    return {
      record,
      type,
      name,
      value: finding.value ?? value,
      ttl: 'Auto',
      status: vouched ? 'verified' : recordStatus(finding, required && domain.status !== 'pending'),
      required,
      last_checked_at: finding.checkedAt,
      observed: finding.observed,
      error: vouched ? null : finding.error,
    };
  });
}

/** A record that is not there yet is waited for, unless the domain already needs it or was given up on. */
function recordStatus({ status }: Pick<Finding, 'status'>, overdue: boolean): DomainRecord['status'] {
  if (status === 'verified') return 'verified';
  return status === 'wrong' || overdue ? 'failed' : 'pending';
}
