import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { CertificatesModule } from '#libs/certificates';
import { DomainsModule } from '#libs/domains';
import { EmailsApiModule, EmailsModule } from '#libs/emails';
import { ErasureModule } from '#libs/erasure';
import { Config } from '#libs/kernel';
import { QueueApiModule } from '#libs/queue';
import { SuppressionsModule } from '#libs/suppressions';
import { WebhooksModule } from '#libs/webhooks';
import { AccountDomains } from './rest/domains/account-domains.js';
import { VisibleUsage } from './rest/usage/visible-usage.js';
import { FirstAccount } from './first-account.js';
import { GraphqlApiModule } from './graphql/graphql-api.module.js';
import { BodyMemory } from './http/body/body-memory.js';
import { ChallengeResponses } from './http/challenge-responses.js';
import { HttpAccessModule } from './http/key-attempts.js';
import { RequestGuard } from './http/request-guard.js';
import { ApiDescription } from './openapi/api-document.js';
import { CONTROLLERS } from './controllers.js';
import { MetricsAccess } from './rest/ops/metrics-access.js';
import { SessionAccessModule } from './session/session-access.js';
import { SessionModule } from './session/session.module.js';
import { AddressLimit } from './tracking/address-limit.js';

const apiDescription = {
  provide: ApiDescription,
  useFactory: (config: Config) => ApiDescription.of(CONTROLLERS, config.settings.PUBLIC_URL),
  inject: [Config],
};

/** The public HTTP APIs, REST and GraphQL. The program that imports it provides kernel, persistence, bus and statistics. */
@Module({
  imports: [
    AccountsModule,
    CertificatesModule.withRenewal(),
    DomainsModule,
    EmailsApiModule,
    EmailsModule,
    ErasureModule,
    QueueApiModule,
    SuppressionsModule,
    WebhooksModule,
    GraphqlApiModule,
    HttpAccessModule,
    SessionAccessModule,
    SessionModule,
  ],
  controllers: CONTROLLERS,
  providers: [
    AccountDomains,
    AddressLimit,
    BodyMemory,
    ChallengeResponses,
    FirstAccount,
    MetricsAccess,
    RequestGuard,
    VisibleUsage,
    apiDescription,
  ],
})
export class GatewayModule {}
