import { toDkimView, type DkimView } from '../dkim/dkim-view.js';
import { domainRecords, type DomainRecord } from './domain-records.js';
import type { DomainRow } from './domain-row.js';
import type { DomainStatus, EnvelopePolicy, TlsPolicy } from './domain.entity.js';

/** A domain as the API returns it. Timestamps are ISO 8601 UTC. */
export interface DomainView {
  id: string;
  object: 'domain';
  name: string;
  status: DomainStatus;
  created_at: string;
  /** The setting REGION. */
  region: string;
  open_tracking: boolean;
  click_tracking: boolean;
  tracking_privacy: boolean;
  tracking_exclude: string[];
  tls: TlsPolicy;
  envelope: EnvelopePolicy;
  /** Null: the period of the service. */
  body_retention_days: number | null;
  captured_retention_days: number | null;
  /** The time at which the domain last became active; null: never, or the operator vouches for it. */
  verified_at: string | null;
  /** The time at which a required record of the active domain was lost. */
  warning_since: string | null;
  last_checked_at: string | null;
  dkim: DkimView;
  records: DomainRecord[];
}

export function toDomainView(
  domain: DomainRow,
  { SERVICE_DOMAIN: serviceDomain, REGION: region }: { SERVICE_DOMAIN: string; REGION: string },
): DomainView {
  return {
    id: domain.id,
    object: 'domain',
    name: domain.name,
    status: domain.status,
    created_at: domain.createdAt.toISOString(),
    region,
    open_tracking: domain.openTracking,
    click_tracking: domain.clickTracking,
    tracking_privacy: domain.trackingPrivacy,
    tracking_exclude: domain.trackingExclude,
    tls: domain.tls,
    envelope: domain.envelope,
    body_retention_days: domain.bodyRetentionDays,
    captured_retention_days: domain.capturedRetentionDays,
    verified_at: domain.verifiedAt?.toISOString() ?? null,
    warning_since: domain.warningSince?.toISOString() ?? null,
    last_checked_at: domain.checkedAt?.toISOString() ?? null,
    dkim: toDkimView(domain, serviceDomain),
    records: domainRecords(domain, serviceDomain),
  };
}
