import type { SigningKey } from '../dkim/key-ring.js';
import type { Finding } from '../verification/finding.js';
import type { DomainRecord, StoredDomain } from '../domain.resource.js';
import { expectedRecords, REQUIRED_SLOTS, type DomainWithKeys, type Slot } from './expected-records.js';

const NO_FINDING: Omit<Finding, 'slot' | 'lostSince'> = {
  status: 'unknown',
  observed: [],
  error: null,
  checkedAt: null,
};

/** The records that the operator vouches for: those by which mail is signed and sent. Nobody checks them. */
const VOUCHED_SLOTS: readonly Slot[] = [...REQUIRED_SLOTS, 'dkim_ed25519'];
const NOT_CHECKED =
  'Not checked, because the operator vouches for the domain. Receivers check it, so publish it all the same.';

/** The records that the owner of a domain should publish, with the findings of the last check. */
export function domainRecords(
  domain: DomainWithKeys & Pick<StoredDomain, 'status' | 'vouched' | 'findings'>,
  serviceDomain: string,
): DomainRecord[] {
  return expectedRecords(domain, serviceDomain).map(({ slot, record, type, name, value, dkim }) => {
    const required = REQUIRED_SLOTS.includes(slot);
    const vouched = domain.vouched && VOUCHED_SLOTS.includes(slot);
    const finding = domain.findings.find((each) => each.slot === slot) ?? NO_FINDING;
    return {
      record,
      type,
      name,
      value: finding.value ?? value,
      cname: dkim?.alias ?? null,
      ttl: 'Auto',
      status: vouched ? 'vouched' : recordStatus(finding, required && domain.status !== 'pending'),
      required,
      last_checked_at: finding.checkedAt,
      observed: finding.observed,
      error: vouched ? NOT_CHECKED : ((dkim && rotationHint(dkim.key, finding)) ?? finding.error),
    };
  });
}

/** A hint about a key that does not sign yet, or no longer; null: use that of the finding. */
function rotationHint({ state, algorithm, retireAt }: SigningKey, { status }: Pick<Finding, 'status'>): string | null {
  if (state === 'next' && status === 'verified')
    return 'The record stands. Mail is signed by this key as soon as a second look confirms it.';
  if (state !== 'retired' || retireAt === null) return null;
  const until = new Date(retireAt).toISOString().slice(0, 10);
  if (status !== 'missing' && status !== 'wrong')
    return `This key was replaced. Keep the record for mail that is on its way; it may be removed after ${until}.`;
  // Optional: if the record was never published, the key has signed nothing.
  if (algorithm === 'ed25519')
    return `This key was replaced. If its record was ever there, put it back until ${until} for mail that is on its way.`;
  return `This key was replaced, but mail that it signed may be on its way until ${until}. Put the record back until then.`;
}

/** A missing record is pending, unless the domain needs it already or has failed. */
function recordStatus({ status }: Pick<Finding, 'status'>, overdue: boolean): DomainRecord['status'] {
  if (status === 'verified') return 'verified';
  return status === 'wrong' || overdue ? 'failed' : 'pending';
}
