import {
  cacheExchange,
  createClient as createUrqlClient,
  fetchExchange,
  makeOperation,
  mapExchange,
  subscriptionExchange,
  type Client,
  type Operation,
} from 'urql';
import { createClient as createSocket } from 'graphql-ws';
import { accountHeaders, selectedAccount } from './http.ts';
import { announceSessionEnd } from './session-end.ts';

const socketUrl = (): string =>
  `${window.location.protocol === 'https:' ? 'wss' : 'ws'}://${window.location.host}/graphql`;

/** The client of all pages: requests over HTTP, live streams over one WebSocket. */
export function createGraphqlClient(): Client {
  const socket = createSocket({
    url: socketUrl(),
    lazy: true,
    retryAttempts: Number.POSITIVE_INFINITY,
    connectionParams: () => ({ 'x-account-id': selectedAccount() ?? undefined }),
  });
  return createUrqlClient({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: () => ({ headers: accountHeaders() }),
    fetch: fetchOperation,
    exchanges: [
      cacheExchange,
      mapExchange({ onOperation: byId }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ variables }, { query }) => ({
          subscribe: (sink) => ({
            unsubscribe: socket.subscribe({ query: '', documentId: idOf(query), variables } as never, sink),
          }),
        }),
      }),
    ],
  });
}

const idOf = (document: Operation['query']): unknown => (document as { documentId?: unknown }).documentId;

/** Sessions may send the ids of persisted operations only. The client sends the id of a document without definitions. */
function byId(operation: Operation): Operation {
  const query = {
    kind: 'Document',
    definitions: [],
    documentId: idOf(operation.query),
  } as unknown as Operation['query'];
  return operation.kind === 'teardown' ? operation : makeOperation(operation.kind, { ...operation, query });
}

interface Refused {
  message?: string;
  details?: { code?: string }[];
  errors?: unknown[];
}

/** Refusals that come before the operation, such as that of an ended session, in the form in which the client reports errors. */
async function fetchOperation(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.ok || !response.headers.get('content-type')?.includes('json')) return response;
  const refused = (await response.json()) as Refused;
  if (refused.details?.some(({ code }) => code === 'not_logged_in')) announceSessionEnd();
  return Response.json(
    refused.message === undefined
      ? refused
      : {
          errors: [
            {
              message: refused.message,
              extensions: { ...refused, requestId: response.headers.get('x-request-id') },
            },
          ],
        },
  );
}
