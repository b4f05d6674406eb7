import type { ApolloServerPlugin } from '@apollo/server';
import { LIMITS, Refusal } from '#libs/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GraphQLError, Kind, parse, type SelectionNode } from 'graphql';
import { bodyTooLarge } from '../../http/body/body-limits.js';
import { PersistedOperations } from './persisted-operations.js';
import { QueryGuard } from './query-guard.js';

export const GRAPHQL_PATH = '/graphql';
const MIB = 1024 * 1024;
const BATCH_FIELD = 'sendBatch';

/** Checks that Apollo does not do: the body as a whole, the ids of persisted operations, and the operations of sessions. */
export function prepareGraphqlRequests(
  fastify: FastifyInstance,
  guard: QueryGuard,
  persisted: PersistedOperations,
): void {
  fastify.addHook('preHandler', (request, _reply, done) => {
    if (request.routeOptions.url === GRAPHQL_PATH) checkRequest(request, guard, persisted);
    done();
  });
}

function checkRequest(request: FastifyRequest, guard: QueryGuard, persisted: PersistedOperations): void {
  const body = request.body as Record<string, unknown> | undefined;
  if (body === undefined) {
    // Apollo also executes the query of a GET.
    orCause(() => persisted.requirePermitted(request.principal));
    const { query } = request.query as Record<string, unknown>;
    if (typeof query === 'string') orCause(() => guard.requireShallow(query));
    return;
  }
  if (Array.isArray(body))
    throw Refusal.ofFields([
      { field: '', code: 'invalid_type', message: 'must be one operation, not an array of them' },
    ]);
  const query = orCause(() => persisted.queryOf(body, request.principal));
  orCause(() => guard.requireShallow(query));
  if (body['documentId'] !== undefined) {
    body['query'] = query;
    delete body['documentId'];
  }
  if (request.bodyBytes > LIMITS.requestBytes && !isBatch(body['query'], guard.tokens))
    throw bodyTooLarge({
      bytes: LIMITS.requestBytes,
      tooLarge: `The request is larger than ${LIMITS.requestBytes / MIB} MiB; only ${BATCH_FIELD} may have ${LIMITS.batchBytes / MIB} MiB.`,
    });
}

/** REST error responses show the refusal itself. */
function orCause<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof GraphQLError && error.originalError instanceof Refusal ? error.originalError : error;
  }
}

/** Whether all root fields of all operations are `sendBatch`. */
function isBatch(query: unknown, maxTokens: number): boolean {
  if (typeof query !== 'string') return false;
  try {
    const operations = parse(query, { maxTokens }).definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    return operations.every(
      (operation) => 'selectionSet' in operation && operation.selectionSet.selections.every(isBatchField),
    );
  } catch {
    return false;
  }
}

const isBatchField = (selection: SelectionNode): boolean =>
  selection.kind === Kind.FIELD && selection.name.value === BATCH_FIELD;

/** Limits the cost of an operation, for which its variables must be known. */
export const costPlugin = (guard: QueryGuard): ApolloServerPlugin => ({
  requestDidStart: () =>
    Promise.resolve({
      didResolveOperation: ({ schema, document, request }) => {
        guard.requireAffordable(schema, document, request);
        return Promise.resolve();
      },
    }),
});
