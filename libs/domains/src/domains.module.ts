import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DomainEntity } from './domain.entity.js';
import { DomainEntries } from './domain-entries.js';
import { DomainKeys } from './domain-keys.js';
import { SendingDomains } from './sending-domains.js';
import { TlsWishes } from './tls-wishes.js';
import { DomainVerifier } from './verification/domain-verifier.js';

@Module({
  imports: [TypeOrmModule.forFeature([DomainEntity])],
  providers: [SendingDomains, DomainEntries, DomainKeys, DomainVerifier, TlsWishes],
  exports: [SendingDomains, DomainEntries, DomainKeys, DomainVerifier, TlsWishes],
})
export class DomainsModule {}
