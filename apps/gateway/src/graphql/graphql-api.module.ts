import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { EmailsModule } from '#libs/emails';
import type { FastifyRequest } from 'fastify';
import { HttpAccessModule } from '../http/key-attempts.js';
import { SessionAccessModule } from '../session/session-access.js';
import { DomainStatsFeeds } from './domains/domain-stats-feeds.js';
import { GraphqlCaller, type GraphqlContext } from './graphql-caller.js';
import { GraphqlErrors } from './graphql-errors.js';
import { WebSocketProtocol } from './websocket-protocol.js';
import { GraphqlWebSocketServer } from './websocket-server.js';
import { QUERY_LIMITS, QUERY_RULES } from './query-limits.js';
import { DomainsResolver } from './domains/domains.resolver.js';
import { EmailsResolver } from './emails/emails.resolver.js';

/** All resolvers of the schema; `schema.gql` is generated from the same list. */
export const RESOLVERS = [DomainsResolver, EmailsResolver];

@Module({ providers: [GraphqlErrors], exports: [GraphqlErrors] })
class GraphqlErrorsModule {}

/** All options of Apollo are set explicitly, so that none depends on NODE_ENV. Subscriptions have a server of their own. */
function apolloOptions(errors: GraphqlErrors): ApolloDriverConfig {
  return {
    autoSchemaFile: true,
    sortSchema: true,
    path: '/graphql',
    graphiql: false,
    introspection: true,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: true,
    parseOptions: { maxTokens: QUERY_LIMITS.tokens },
    validationRules: QUERY_RULES,
    context: (request: FastifyRequest): GraphqlContext => ({ caller: new GraphqlCaller(request.principal) }),
    formatError: (formatted, thrown) => errors.format(thrown, String(formatted.extensions?.['code'])),
  };
}

@Module({
  imports: [
    AccountsModule,
    DomainsModule,
    EmailsModule,
    GraphqlErrorsModule,
    HttpAccessModule,
    SessionAccessModule,
    GraphQLModule.forRootAsync<ApolloDriverConfig>({
      driver: ApolloDriver,
      imports: [GraphqlErrorsModule],
      inject: [GraphqlErrors],
      useFactory: apolloOptions,
    }),
  ],
  providers: [...RESOLVERS, DomainStatsFeeds, WebSocketProtocol, GraphqlWebSocketServer],
  exports: [GraphqlWebSocketServer],
})
export class GraphqlApiModule {}
