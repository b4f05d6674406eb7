import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DeliveryPolicies } from './delivery-policy.js';
import { DkimRotation } from './dkim/dkim-rotation.js';
import { DomainKeys } from './dkim/domain-keys.js';
import { DomainEntries } from './domain-entries.js';
import { DomainEntity } from './model/domain.entity.js';
import { DomainRetentionPeriods } from './retention-periods.js';
import { SendingDomains } from './sending-domains.js';
import { DomainVerifier } from './verification/domain-verifier.js';

const EVERYTHING = [
  ...[SendingDomains, DomainEntries, DomainKeys, DkimRotation, DomainVerifier],
  ...[DeliveryPolicies, DomainRetentionPeriods],
];

@Module({
  imports: [TypeOrmModule.forFeature([DomainEntity])],
  providers: EVERYTHING,
  exports: EVERYTHING,
})
export class DomainsModule {}
