// A graphql-ws server without anything else, as the measure of what pushing costs. `publish` over IPC pushes one value to
// all subscribers.
import { createServer } from 'node:http';
import { buildSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

const COUNTERS = [
  'accepted',
  'sent',
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'complained',
  'suppressed',
  'opened',
  'clicked',
];
const schema = buildSchema(`
  type DomainStats { domainId: ID! from: String! to: String! ${COUNTERS.map((name) => `${name}: Int!`).join(' ')} }
  type Query { none: Int }
  type Subscription { domainStats(domainId: ID!): DomainStats! }`);

const readers = new Set();
const counts = Object.fromEntries(COUNTERS.map((name) => [name, 0]));
const value = () => ({
  domainStats: { domainId: 'dom', from: new Date(0).toISOString(), to: new Date().toISOString(), ...counts },
});

async function* values() {
  const waiting = [value()];
  let wake = () => undefined;
  const read = (next) => {
    waiting.push(next);
    wake();
  };
  readers.add(read);
  try {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift();
      await new Promise((resolve) => (wake = resolve));
    }
  } finally {
    readers.delete(read);
  }
}

const http = createServer();
const server = new WebSocketServer({ server: http, path: '/graphql', perMessageDeflate: false });
useServer({ schema, roots: { subscription: { domainStats: values } } }, server);
http.listen(0, '127.0.0.1', () => process.send({ port: http.address().port }));
process.on('message', () => {
  counts.delivered += 1;
  const next = value();
  for (const read of readers) read(next);
});
process.on('disconnect', () => process.exit(0));
