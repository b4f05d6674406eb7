import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DomainEntity } from './domain.entity.js';
import { DomainKeys } from './domain-keys.js';
import { SendingDomains } from './sending-domains.js';

@Module({
  imports: [TypeOrmModule.forFeature([DomainEntity])],
  providers: [SendingDomains, DomainKeys],
  exports: [SendingDomains, DomainKeys],
})
export class DomainsModule {}
