import {
  cacheExchange,
  createClient as createUrqlClient,
  fetchExchange,
  mapExchange,
  subscriptionExchange,
  type Client,
  type CombinedError,
} from 'urql';
import { createClient as createSocket } from 'graphql-ws';
import { accountHeaders, selectedAccount } from './http.ts';
import { fetchSession } from './session.tsx';
import { announceSessionEnd } from './session-end.ts';

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
    exchanges: [
      mapExchange({ onError: (error) => isOfEndedSession(error) && announceSessionEnd() }),
      cacheExchange,
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query: query ?? '', variables }, sink) }),
        }),
      }),
    ],
  });
}

/** A page that only listens makes no request that would be refused. */
function checkSession(): void {
  fetchSession().then(
    ({ viewer }) => viewer === null && announceSessionEnd(),
    // Without a connection nothing is known; the socket connects again.
    () => undefined,
  );
}

const isOfEndedSession = ({ response, graphQLErrors }: CombinedError): boolean =>
  (response as Response | undefined)?.status === 401 ||
  graphQLErrors.some(({ extensions }) => extensions['statusCode'] === 401);
