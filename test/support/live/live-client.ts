import { createClient, type Client } from 'graphql-ws';
import WebSocket from 'ws';

export interface Answer {
  data?: Record<string, unknown> | null;
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[];
}

/** Stock graphql-ws clients of one gateway. */
export class LiveClients {
  private readonly clients: Client[] = [];

  constructor(private readonly url: string) {}

  open(key: string, header = 'Authorization', webSocketImpl: unknown = WebSocket): Client {
    const client = createClient({
      url: `${this.url.replace('http', 'ws')}/graphql`,
      webSocketImpl,
      connectionParams: { [header]: `Bearer ${key}` },
      retryAttempts: 0,
    });
    this.clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    for (const client of this.clients.splice(0)) await client.dispose();
  }
}

/** The answers to an operation, as they come. */
export function watch(client: Client, query: string, variables: Record<string, unknown> = {}): Answer[] {
  const seen: Answer[] = [];
  client.subscribe(
    { query, variables },
    {
      next: (answer) => seen.push(answer as Answer),
      error: (error) => seen.push({ errors: error as Answer['errors'] }),
      complete: () => undefined,
    },
  );
  return seen;
}

export interface ResumingReader {
  /** Ids of the events, as they came. */
  seen: string[];
  /** Disconnects that the reader noticed. */
  cuts(): number;
  cut(): void;
  stop(): void;
}

/** A client that reconnects after each disconnect, and continues after the last event that it has. */
export function resumingReader(clients: LiveClients, key: string, after: string): ResumingReader {
  const seen: string[] = [];
  const open = new Set<WebSocket>();
  let isStopped = false;
  let cuts = 0;
  class TrackedWebSocket extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol);
      open.add(this);
      this.on('close', () => open.delete(this));
    }
  }
  const cut = () => open.forEach((socket) => socket.terminate());
  const read = async (): Promise<void> => {
    const answers = clients.open(key, 'Authorization', TrackedWebSocket).iterate<{ emailEvents: { id: string } }>({
      query: 'subscription ($after: ID) { emailEvents(after: $after) { id } }',
      variables: { after: seen.at(-1) ?? after },
    });
    for await (const { data } of answers) if (data) seen.push(data.emailEvents.id);
  };
  const run = async (): Promise<void> => {
    while (!isStopped) await read().catch(() => (cuts += 1));
  };
  void run();
  return {
    seen,
    cuts: () => cuts,
    cut,
    stop: () => {
      isStopped = true;
      cut();
    },
  };
}
