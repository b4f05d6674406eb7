export type { SendingDomain } from './active-domains.js';
export { DomainEntity, type DomainStatus } from './domain.entity.js';
export { DomainKeys } from './domain-keys.js';
export type { DomainRecord } from './domain-records.js';
export { DomainsModule } from './domains.module.js';
export { SendingDomains, type DomainView } from './sending-domains.js';
