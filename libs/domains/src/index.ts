export type { SendingDomain } from './active-domains.js';
export { DeliveryWishes } from './delivery-wishes.js';
export { DomainEntity, TLS_POLICIES, type DomainStatus, type TlsPolicy } from './domain.entity.js';
export {
  DomainExamination,
  type ExaminedDomain,
  type ExaminedRecord,
  type LosingDomain,
} from './domain-examination.js';
export { DomainEntries, type DomainSettings } from './domain-entries.js';
export { DkimRotation, type RotationRequest } from './dkim/dkim-rotation.js';
export type { DkimView, RotationView } from './dkim/dkim-view.js';
export { DkimZone, zoneLine, type ZoneRecord } from './dkim/dkim-zone.js';
export { DomainKeys } from './dkim/domain-keys.js';
export type { DomainRecord } from './domain-records.js';
export { normaliseDomainName } from './domain-name.js';
export { domainNameRule, tlsPolicyRule, trackingRule } from './domain-rules.js';
export type { DomainView } from './domain-view.js';
export { DomainsModule } from './domains.module.js';
export type { RecordKind } from './expected-records.js';
export { SendingDomains } from './sending-domains.js';
export { AutomaticRotation } from './verification/automatic-rotation.js';
export { DomainVerifier, type DomainCheck } from './verification/domain-verifier.js';
export { checkHost, type SpfDns, type SpfEvaluation, type SpfMail } from './verification/check-host.js';
export { walkDmarc } from './verification/dmarc-rule.js';
export type { DnsAnswer } from './verification/dns-server.js';
export type { Judgement } from './verification/judgement.js';
export { isSpf, readSpf, type SpfTerm } from './verification/spf-record.js';
export { judgeSpf } from './verification/spf-rule.js';
