import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module, type Type } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { EmailsModule } from '#libs/emails';
import type { FastifyRequest } from 'fastify';
import { DomainStatsFeeds } from './domain-stats-feeds.js';
import { GraphqlCaller, type GraphqlContext } from './graphql-caller.js';
import { GraphqlErrors } from './graphql-errors.js';
import { GraphqlProtocol } from './graphql-protocol.js';
import { GraphqlSockets } from './graphql-sockets.js';
import { QUERY_LIMITS, QUERY_RULES } from './query-limits.js';
import { RESOLVERS } from './resolvers.js';

@Module({ providers: [GraphqlErrors], exports: [GraphqlErrors] })
class GraphqlErrorsModule {}

/** Every switch of Apollo is set here: none is left to NODE_ENV. Subscriptions have a door of their own. */
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
    formatError: (formatted, thrown) => errors.present(thrown, String(formatted.extensions?.['code'])),
  };
}

@Module({
  imports: [
    AccountsModule,
    DomainsModule,
    EmailsModule,
    GraphqlErrorsModule,
    GraphQLModule.forRootAsync<ApolloDriverConfig>({
      driver: ApolloDriver,
      imports: [GraphqlErrorsModule],
      inject: [GraphqlErrors],
      useFactory: apolloOptions,
    }),
  ],
  providers: [...(RESOLVERS as Type[]), DomainStatsFeeds, GraphqlProtocol, GraphqlSockets],
  exports: [GraphqlSockets],
})
export class GraphqlApiModule {}
