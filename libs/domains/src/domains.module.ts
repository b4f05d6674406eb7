import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DeliveryWishes } from './delivery-wishes.js';
import { DkimRotation } from './dkim/dkim-rotation.js';
import { DomainKeys } from './dkim/domain-keys.js';
import { DomainEntity } from './domain.entity.js';
import { DomainEntries } from './domain-entries.js';
import { SendingDomains } from './sending-domains.js';
import { AutomaticRotation } from './verification/automatic-rotation.js';
import { DomainVerifier } from './verification/domain-verifier.js';

@Module({
  imports: [TypeOrmModule.forFeature([DomainEntity])],
  providers: [
    SendingDomains,
    DomainEntries,
    DomainKeys,
    DkimRotation,
    AutomaticRotation,
    DomainVerifier,
    DeliveryWishes,
  ],
  exports: [SendingDomains, DomainEntries, DomainKeys, DkimRotation, DomainVerifier, DeliveryWishes],
})
export class DomainsModule {}
