import {
  cacheExchange,
  createClient as createUrqlClient,
  fetchExchange,
  makeOperation,
  mapExchange,
  subscriptionExchange,
  type Client,
  type CombinedError,
  type Operation,
} from 'urql';
import { createClient as createSocket } from 'graphql-ws';
import { accountHeaders, selectedAccount } from './http.ts';
import { noticeTrouble } from './outage.ts';
import { fetchSession, keepsAccount } from './session.tsx';
import { announceSessionEnd } from './session-end.ts';
import { announceUpgrade, isOfOtherVersion } from './upgrade.ts';

/** Code with which the server closes the connection of a session that has ended or has lost a permission. */
const FORBIDDEN = 4403;

const socketUrl = (): string =>
  `${window.location.protocol === 'https:' ? 'wss' : 'ws'}://${window.location.host}/graphql`;

/** The client of all pages: requests over HTTP, live streams over one WebSocket. */
export function createGraphqlClient(): Client {
  const socket = createSocket({
    url: socketUrl(),
    lazy: true,
    retryAttempts: Number.POSITIVE_INFINITY,
    connectionParams: () => ({ 'x-account-id': selectedAccount() ?? undefined }),
    on: { closed: (event) => void ((event as CloseEvent).code === FORBIDDEN && checkSession()) },
  });
  return createUrqlClient({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: () => ({ headers: accountHeaders() }),
    fetch: fetchOperation,
    exchanges: [
      mapExchange({ onError: announce }),
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

/** A page that only subscribes makes no request that could be refused. */
function checkSession(): void {
  fetchSession().then(
    ({ viewer }) => (viewer === null ? announceSessionEnd() : viewer.account && keepsAccount(viewer.account)),
    // Without a connection the state of the session is unknown; the socket reconnects.
    () => undefined,
  );
}

function announce(error: CombinedError): void {
  if (isOfEndedSession(error)) announceSessionEnd();
  noticeTrouble(statusOf(error));
  if (error.graphQLErrors.some(({ extensions }) => isOfOtherVersion(extensions['details']))) announceUpgrade();
}

const isOfEndedSession = ({ response, graphQLErrors }: CombinedError): boolean =>
  (response as Response | undefined)?.status === 401 ||
  graphQLErrors.some(({ extensions }) => extensions['statusCode'] === 401);

/** The status of the first refusal; 0 without a connection. */
const statusOf = ({ networkError, graphQLErrors }: CombinedError): number =>
  networkError && graphQLErrors.length === 0 ? 0 : Number(graphQLErrors[0]?.extensions['statusCode'] ?? 200);

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

/** Refusals that come before the operation, such as that of an ended session, in the form in which the client reports errors. */
async function fetchOperation(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.ok || !response.headers.get('content-type')?.includes('json')) return response;
  const refused = (await response.json()) as { message?: string };
  if (refused.message === undefined) return Response.json(refused);
  const extensions = { ...refused, requestId: response.headers.get('x-request-id') };
  return Response.json({ errors: [{ message: refused.message, extensions }] });
}
