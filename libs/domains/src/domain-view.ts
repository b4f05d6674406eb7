import { presentDkim, type DkimView } from './dkim/dkim-view.js';
import type { DomainStatus, TlsPolicy } from './domain.entity.js';
import { domainRecords, type DomainRecord } from './domain-records.js';
import type { DomainRow } from './domain-row.js';

/** A domain as the API shows it, ready to be sent. Timestamps are ISO 8601 UTC. */
export interface DomainView {
  id: string;
  object: 'domain';
  name: string;
  status: DomainStatus;
  created_at: string;
  region: 'eu';
  open_tracking: boolean;
  click_tracking: boolean;
  tls: TlsPolicy;
  /** When the domain last became active; null: never, or the operator vouches for it. */
  verified_at: string | null;
  /** Since when a required record of an active domain is lost. */
  warning_since: string | null;
  last_checked_at: string | null;
  dkim: DkimView;
  records: DomainRecord[];
}

export function presentDomain(domain: DomainRow, serviceDomain: string): DomainView {
  return {
    id: domain.id,
    object: 'domain',
    name: domain.name,
    status: domain.status,
    created_at: domain.createdAt.toISOString(),
    region: 'eu',
    open_tracking: domain.openTracking,
    click_tracking: domain.clickTracking,
    tls: domain.tls,
    verified_at: domain.verifiedAt?.toISOString() ?? null,
    warning_since: domain.warningSince?.toISOString() ?? null,
    last_checked_at: domain.checkedAt?.toISOString() ?? null,
    dkim: presentDkim(domain, serviceDomain),
    records: domainRecords(domain, serviceDomain),
  };
}
