import type { GraphiQLProps } from 'graphiql';
import { Kind, parse, type OperationDefinitionNode } from 'graphql';
import { createClient } from 'graphql-ws';
import { headersOf, type Credentials } from './credentials.ts';

type Fetcher = GraphiQLProps['fetcher'];
type Request = Parameters<Fetcher>[0];

/** Sends queries and mutations over HTTP and subscriptions over WebSocket, to the service that served the page. */
export function createFetcher(credentials: Credentials): Fetcher {
  return (given, options) => {
    // Headers entered in the editor take precedence.
    const headers = { ...headersOf(credentials), ...options?.headers };
    const operations = operationsOf(given.query);
    const operation =
      operations.length === 1 ? operations[0] : operations.find(({ name }) => name?.value === given.operationName);
    // For half a second after a change of tabs, GraphiQL names the operation of the previous tab.
    const request = operations.length === 1 ? { ...given, operationName: operation?.name?.value } : given;
    return operation?.operation === 'subscription' ? overSocket(request, headers) : overHttp(request, headers);
  };
}

/** None of a document with errors, which the service explains. */
function operationsOf(query: string): OperationDefinitionNode[] {
  try {
    return parse(query).definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  } catch {
    return [];
  }
}

async function overHttp(request: Request, headers: Record<string, string>) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(request),
  });
  return response.json() as Promise<never>;
}

async function* overSocket(request: Request, headers: Record<string, string>) {
  const { protocol, host } = window.location;
  // A connection for each subscription, so that it has the current headers.
  const client = createClient({
    url: `${protocol === 'https:' ? 'wss' : 'ws'}://${host}/graphql`,
    connectionParams: headers,
    retryAttempts: 0,
  });
  try {
    yield* client.iterate({ ...request, operationName: request.operationName ?? undefined }) as AsyncIterable<never>;
  } catch (problem) {
    throw problem instanceof CloseEvent ? new Error(closeText(problem)) : problem;
  } finally {
    await client.dispose();
  }
}

const closeText = ({ code, reason }: CloseEvent): string =>
  `The connection was closed with ${code}${reason === '' ? '' : `: ${reason}`}.`;
