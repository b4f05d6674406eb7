import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { EmailsApiModule, EmailsModule } from '#libs/emails';
import { Config } from '#libs/kernel';
import { SuppressionsModule } from '#libs/suppressions';
import { WebhooksModule } from '#libs/webhooks';
import { AccountDomains } from './account-domains.js';
import { FirstAccount } from './first-account.js';
import { GraphqlApiModule } from './graphql/graphql-api.module.js';
import { RequestGate } from './http/request-gate.js';
import { ApiDescription } from './openapi/api-description.js';
import { CONTROLLERS } from './rest/controllers.js';
import { AddressLimit } from './tracking/address-limit.js';

const apiDescription = {
  provide: ApiDescription,
  useFactory: (config: Config) => ApiDescription.of(CONTROLLERS, config.settings.PUBLIC_URL),
  inject: [Config],
};

/** The public HTTP side: REST and GraphQL. Its program brings kernel, persistence, bus and statistics. */
@Module({
  imports: [
    AccountsModule,
    DomainsModule,
    EmailsApiModule,
    EmailsModule,
    SuppressionsModule,
    WebhooksModule,
    GraphqlApiModule,
  ],
  controllers: CONTROLLERS,
  providers: [AccountDomains, AddressLimit, FirstAccount, RequestGate, apiDescription],
})
export class GatewayModule {}
