import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DeliveryPolicies } from './delivery-policy.js';
import { DkimRotation } from './dkim/dkim-rotation.js';
import { DomainKeys } from './dkim/domain-keys.js';
import { DomainEntries } from './domain-entries.js';
import { DomainEntity } from './model/domain.entity.js';
import { SendingDomains } from './sending-domains.js';
import { DomainVerifier } from './verification/domain-verifier.js';

@Module({
  imports: [TypeOrmModule.forFeature([DomainEntity])],
  providers: [SendingDomains, DomainEntries, DomainKeys, DkimRotation, DomainVerifier, DeliveryPolicies],
  exports: [SendingDomains, DomainEntries, DomainKeys, DkimRotation, DomainVerifier, DeliveryPolicies],
})
export class DomainsModule {}
