import type { SigningKey } from './dkim/key-ring.js';
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
  /** Of a DKIM record: where an alias (CNAME) with this name may lead instead, which rotations then follow alone. */
  cname: string | null;
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
  return expectedRecords(domain, serviceDomain).map(({ slot, record, type, name, value, dkim }) => {
    const required = REQUIRED_SLOTS.includes(slot);
    const vouched = domain.vouched && VOUCHED_SLOTS.includes(slot);
    const finding = domain.findings.find((each) => each.slot === slot) ?? NOTHING_YET;
    return {
      record,
      type,
      name,
      value: finding.value ?? value,
      cname: dkim?.alias ?? null,
      ttl: 'Auto',
      status: vouched ? 'verified' : recordStatus(finding, required && domain.status !== 'pending'),
      required,
      last_checked_at: finding.checkedAt,
      observed: finding.observed,
      error: vouched ? null : ((dkim && rotationNote(dkim.key, finding)) ?? finding.error),
    };
  });
}

/** What the owner has to do about a key that does not sign yet, or no longer; null: what the finding says. */
function rotationNote({ state, algorithm, retireAt }: SigningKey, { status }: Pick<Finding, 'status'>): string | null {
  if (state === 'next' && status === 'verified')
    return 'The record stands. Mail is signed by this key as soon as a second look confirms it.';
  if (state !== 'retired' || retireAt === null) return null;
  const until = new Date(retireAt).toISOString().slice(0, 10);
  if (status !== 'missing' && status !== 'wrong')
    return `This key was replaced. Keep the record for mail that is on its way; it may be removed after ${until}.`;
  // A choice: many never publish it, and then it has signed nothing.
  if (algorithm === 'ed25519')
    return `This key was replaced. If its record was ever there, put it back until ${until} for mail that is on its way.`;
  return `This key was replaced, but mail that it signed may be on its way until ${until}. Put the record back until then.`;
}

/** A record that is not there yet is waited for, unless the domain already needs it or was given up on. */
function recordStatus({ status }: Pick<Finding, 'status'>, overdue: boolean): DomainRecord['status'] {
  if (status === 'verified') return 'verified';
  return status === 'wrong' || overdue ? 'failed' : 'pending';
}
