export { DomainsModule } from './domains.module.js';
export { DeliveryPolicies, type DeliveryPolicy } from './delivery-policy.js';
export {
  ADVICE_DAYS,
  ADVICE_MINIMUM_RECIPIENTS,
  ADVICE_PAGES,
  ADVICE_SEVERITIES,
  domainAdvice,
  type DomainAdvice,
  type DomainTraffic,
} from './advice/domain-advice.js';
export { DomainEntries, type DomainSettings } from './domain-entries.js';
export { DomainInspection, type InspectedDomain, type InspectedRecord } from './domain-inspection.js';
export { DomainRetentionPeriods, type DomainPeriods } from './retention-periods.js';
export { SendingDomains } from './sending-domains.js';
export type { ActiveDomain, SendingDomain } from './active-domains.js';
export {
  DomainEntity,
  ENVELOPE_POLICIES,
  TLS_POLICIES,
  type DomainStatus,
  type EnvelopePolicy,
  type TlsPolicy,
} from './model/domain.entity.js';
export {
  domainNameRule,
  envelopePolicyRule,
  normaliseDomainName,
  tlsPolicyRule,
  linkPatternsRule,
  retentionDaysRule,
  trackingRule,
} from './model/domain-rules.js';
export type { DomainView } from './model/domain-view.js';
export type { DomainRecord } from './model/domain-records.js';
export type { RecordKind } from './model/expected-records.js';
export { DkimRotation, type RotationRequest } from './dkim/dkim-rotation.js';
export type { DkimView, RotationView } from './dkim/dkim-view.js';
export { DkimZone, zoneLine } from './dkim/dkim-zone.js';
export { DomainKeys } from './dkim/domain-keys.js';
export { DomainVerifier, type DomainCheck } from './verification/domain-verifier.js';
export { walkDmarc } from './verification/dmarc-rule.js';
export type { Judgement } from './verification/judgement.js';
export { checkHost, type SpfDns, type SpfEvaluation } from './spf/check-host.js';
export { isSpf, readSpf } from './spf/spf-record.js';
export { judgeSpf } from './spf/spf-rule.js';
