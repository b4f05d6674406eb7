import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { EmailsModule } from '#libs/emails';
import { WebhooksModule } from '#libs/webhooks';
import { FirstAccount } from './first-account.js';
import { GraphqlApiModule } from './graphql/graphql-api.module.js';
import { RequestGate } from './http/request-gate.js';
import { CapturedController } from './rest/captured.controller.js';
import { DomainsController } from './rest/domains.controller.js';
import { EmailsController } from './rest/emails.controller.js';
import { OpsController } from './rest/ops.controller.js';
import { WebhooksController } from './rest/webhooks.controller.js';

/** The public HTTP side: REST and GraphQL. Its program brings kernel, persistence, bus and statistics. */
@Module({
  imports: [AccountsModule, DomainsModule, EmailsModule, WebhooksModule, GraphqlApiModule],
  controllers: [CapturedController, DomainsController, EmailsController, OpsController, WebhooksController],
  providers: [FirstAccount, RequestGate],
})
export class GatewayModule {}
