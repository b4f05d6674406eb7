import {
  cacheExchange,
  createClient as createUrqlClient,
  fetchExchange,
  subscriptionExchange,
  type Client,
} from 'urql';
import { createClient as createSocket } from 'graphql-ws';
import { accountHeaders, selectedAccount } from './http.ts';

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
    exchanges: [
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
