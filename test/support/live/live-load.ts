import { readFileSync } from 'node:fs';
import WebSocket from 'ws';
import { until } from '../timing/until.js';

const FIELDS = 'domainId from to accepted sent delivered deferred bounced failed complained suppressed opened clicked';
const QUERY = `subscription ($id: ID!) { domainStats(domainId: $id) { ${FIELDS} } }`;
const MICROSECONDS_PER_TICK = 10_000;

export interface Subscriber {
  domainId: string;
  /** The newest count, and the times of `performance.now()` at which each count came. */
  arrivals: Map<number, number>;
  messages: number;
  /** Messages other than values, and the close of the connection. */
  errors: string[];
}

export interface LiveLoad {
  subscribers: Subscriber[];
  messages(): number;
  close(): Promise<void>;
}

/** Clients that speak graphql-transport-ws with as little work as possible: `operations` subscriptions per connection. */
export async function openSubscribers(
  url: string,
  key: string,
  { domainIds, operations = 1 }: { domainIds: readonly string[]; operations?: number },
): Promise<LiveLoad> {
  const subscribers: Subscriber[] = [];
  const sockets: WebSocket[] = [];
  for (let from = 0; from < domainIds.length; from += operations) {
    const own = domainIds.slice(from, from + operations).map((domainId): Subscriber => {
      return { domainId, arrivals: new Map(), messages: 0, errors: [] };
    });
    subscribers.push(...own);
    sockets.push(openSocket(url, key, own));
  }
  await until(async () => subscribers.every(({ messages, errors }) => messages + errors.length > 0), {
    what: `${domainIds.length} snapshots`,
    withinMs: 180_000,
  });
  return {
    subscribers,
    messages: () => subscribers.reduce((sum, { messages }) => sum + messages, 0),
    close: async () => {
      for (const socket of sockets) socket.terminate();
      await until(async () => sockets.every(({ readyState }) => readyState === WebSocket.CLOSED));
    },
  };
}

function openSocket(url: string, key: string, subscribers: readonly Subscriber[]): WebSocket {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    perMessageDeflate: false,
  });
  socket.on('open', () =>
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${key}` } })),
  );
  socket.on('error', () => undefined);
  socket.on('close', (code, reason) =>
    subscribers.forEach(({ errors }) => errors.push(`closed with ${code} ${reason.toString()}`)),
  );
  socket.on('message', (data: Buffer) => {
    const text = data.toString('latin1');
    if (text.includes('"connection_ack"')) return subscribeAll(socket, subscribers);
    const subscriber = subscribers[Number(/"id":"(\d+)"/.exec(text)?.[1])];
    const delivered = /"delivered":(\d+)/.exec(text)?.[1];
    if (delivered === undefined) {
      subscriber.errors.push(text);
      return;
    }
    subscriber.messages += 1;
    if (!subscriber.arrivals.has(Number(delivered))) subscriber.arrivals.set(Number(delivered), performance.now());
  });
  return socket;
}

function subscribeAll(socket: WebSocket, subscribers: readonly Subscriber[]): void {
  for (const [i, { domainId }] of subscribers.entries())
    socket.send(
      JSON.stringify({ id: String(i), type: 'subscribe', payload: { query: QUERY, variables: { id: domainId } } }),
    );
}

/** Processor time of a process in microseconds. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK;
}

/** Resident memory of a process in KiB. */
export const residentKib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN;
}
