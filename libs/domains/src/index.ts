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
export { DomainEntries } from './domain-entries.js';
export { DomainInspection, type InspectedDomain, type InspectedRecord } from './domain-inspection.js';
export { DomainRetentionPeriods, type DomainPeriods } from './retention-periods.js';
export { SendingDomains } from './sending-domains.js';
export type { ActiveDomain, SendingDomain } from './active-domains.js';
export { DomainEntity } from './model/domain.entity.js';
export {
  dkim,
  dkimCname,
  dkimRotation,
  domain,
  domainRecord,
  type DomainRecord,
  type DomainSettings,
  type DomainView,
} from './domain.resource.js';
export { normaliseDomainName, TLS_POLICIES, ENVELOPE_POLICIES, domainNameRule } from './model/domain-rules.js';
export { DkimRotation, type RotationRequest } from './dkim/dkim-rotation.js';
export { DkimZone, zoneLine } from './dkim/dkim-zone.js';
export { DomainKeys } from './dkim/domain-keys.js';
export { DomainVerifier, type DomainCheck } from './verification/domain-verifier.js';
export { walkDmarc } from './verification/dmarc-rule.js';
export type { Judgement } from './verification/judgement.js';
export { checkHost, type SpfDns, type SpfEvaluation } from './spf/check-host.js';
export { isSpf, readSpf } from './spf/spf-record.js';
export { judgeSpf } from './spf/spf-rule.js';
