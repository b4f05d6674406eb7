import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { AccountsModule } from '#libs/accounts';
import { DoctorModule } from '#libs/doctor';
import { DomainInspection, DomainsModule } from '#libs/domains';
import { EmailsApiModule, EmailsModule } from '#libs/emails';
import { ErasureModule } from '#libs/erasure';
import { Config } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { QueueApiModule } from '#libs/queue';
import { SuppressionsModule } from '#libs/suppressions';
import { WebhooksModule } from '#libs/webhooks';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HttpAccessModule } from '../http/key-attempts.js';
import { AccountDomains } from '../rest/domains/account-domains.js';
import { VisibleUsage } from '../rest/usage/visible-usage.js';
import { EventFeed } from './live/event-feed.js';
import { LiveResolver } from './live/live.resolver.js';
import { LiveStatistics } from './live/live-statistics.js';
import { QueueFeed } from './live/queue-feed.js';
import { LinkMail } from '#libs/notices';
import { SessionAccessModule } from '../session/session-access.js';
import { clientSignal } from '../http/client-signal.js';
import { GraphqlCaller, type GraphqlContext } from './graphql-caller.js';
import { GraphqlErrors } from './graphql-errors.js';
import { SocketAuthentication } from './checks/socket-authentication.js';
import { WebSocketProtocol } from './websocket-protocol.js';
import { GraphqlWebSocketServer } from './websocket-server.js';
import { costPlugin, GRAPHQL_PATH } from './checks/http-requests.js';
import { PersistedOperations } from './checks/persisted-operations.js';
import { QueryGuard } from './checks/query-guard.js';
import { AccountResolver } from './account/account.resolver.js';
import { ApiKeysResolver } from './api-keys/api-keys.resolver.js';
import { CapturedResolver } from './captured/captured.resolver.js';
import { GENERATED_RESOLVERS } from '../api/generated.js';
import { DomainAdviceResolver } from './domains/domain-advice.resolver.js';
import { DomainLoaders } from './domains/domain-loaders.js';
import { DomainTrafficLoader } from './domains/domain-traffic.js';
import { DomainsResolver } from './domains/domains.resolver.js';
import { EmailFieldsResolver, SentEmailFieldsResolver } from './emails/email-fields.resolver.js';
import { EmailLoaders } from './emails/email-loaders.js';
import { EmailsResolver } from './emails/emails.resolver.js';
import { OperatorAccounts } from './operator/operator-accounts.js';
import { OperatorEventLog } from './operator/operator-event-log.js';
import { OperatorChangesResolver } from './operator/operator-changes.resolver.js';
import { OperatorResolver } from './operator/operator.resolver.js';
import { ServiceBacklog } from './operator/service-backlog.js';
import { ServiceSize } from './operator/service-size.js';
import { ServiceState } from './operator/service-state.js';
import { UsageResolver } from './usage/usage.resolver.js';
import { WebhookDeliveriesResolver } from './webhooks/webhook-deliveries.resolver.js';
import { WebhookLoaders } from './webhooks/webhook-loaders.js';
import { WebhooksResolver } from './webhooks/webhooks.resolver.js';

/** All resolvers of the schema; `schema.gql` is generated from the same list. */
export const RESOLVERS = [
  ...GENERATED_RESOLVERS,
  AccountResolver,
  ApiKeysResolver,
  CapturedResolver,
  DomainAdviceResolver,
  DomainsResolver,
  EmailFieldsResolver,
  EmailsResolver,
  LiveResolver,
  OperatorChangesResolver,
  OperatorResolver,
  SentEmailFieldsResolver,
  UsageResolver,
  WebhookDeliveriesResolver,
  WebhooksResolver,
];

const LOADERS = [DomainLoaders, DomainTrafficLoader, EmailLoaders, WebhookLoaders];

const CHECKS = [GraphqlErrors, PersistedOperations, QueryGuard];

@Module({ providers: CHECKS, exports: CHECKS })
class GraphqlChecksModule {}

/** All options of Apollo are set explicitly, so that none depends on NODE_ENV. Subscriptions have a server of their own. */
function apolloOptions(errors: GraphqlErrors, guard: QueryGuard): ApolloDriverConfig {
  return {
    autoSchemaFile: true,
    sortSchema: true,
    path: GRAPHQL_PATH,
    graphiql: false,
    // The rules of the guard decide.
    introspection: true,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: true,
    parseOptions: { maxTokens: guard.tokens },
    validationRules: guard.rules,
    plugins: [costPlugin(guard)],
    context: (request: FastifyRequest, reply: FastifyReply): GraphqlContext => ({
      caller: new GraphqlCaller(request.principal),
      signal: clientSignal(reply),
    }),
    formatError: (formatted, thrown) => errors.format(thrown, String(formatted.extensions?.['code'])),
  };
}

@Module({
  imports: [
    AccountsModule,
    DoctorModule,
    DomainsModule,
    EmailsApiModule,
    EmailsModule,
    ErasureModule,
    GraphqlChecksModule,
    HttpAccessModule,
    QueueApiModule,
    SuppressionsModule,
    WebhooksModule,
    SessionAccessModule,
    GraphQLModule.forRootAsync<ApolloDriverConfig>({
      driver: ApolloDriver,
      imports: [GraphqlChecksModule],
      inject: [GraphqlErrors, QueryGuard],
      useFactory: apolloOptions,
    }),
  ],
  providers: [
    ...RESOLVERS,
    ...LOADERS,
    AccountDomains,
    VisibleUsage,
    EventFeed,
    LinkMail,
    LiveStatistics,
    OperatorAccounts,
    {
      provide: DomainInspection,
      inject: [Database, Config],
      useFactory: (database: Database, config: Config) => new DomainInspection(database, config),
    },
    OperatorEventLog,
    QueueFeed,
    ServiceBacklog,
    ServiceSize,
    ServiceState,
    SocketAuthentication,
    WebSocketProtocol,
    GraphqlWebSocketServer,
  ],
  exports: [GraphqlWebSocketServer],
})
export class GraphqlApiModule {}
