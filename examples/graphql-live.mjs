// A live dashboard in the terminal: the counts of one sending domain, printed on every change.
//
//   npm install graphql-ws ws
//   POSTLOFT_URL=http://localhost:3000 POSTLOFT_API_KEY=pl_live_… node graphql-live.mjs [domain name]
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

const url = new URL('/graphql', process.env.POSTLOFT_URL ?? 'http://localhost:3000');
const authorization = `Bearer ${process.env.POSTLOFT_API_KEY}`;

/** One operation over HTTP. */
async function ask(query, variables = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors, message } = await response.json();
  if (!data) throw new Error(message ?? errors[0].message);
  return data;
}

const { domains } = await ask('{ domains { id name } }');
const domain = domains.find(({ name }) => name === (process.argv[2] ?? name));
if (!domain) throw new Error('The account has no such domain.');

const client = createClient({
  url: url.href.replace(/^http/, 'ws'),
  webSocketImpl: WebSocket,
  connectionParams: { Authorization: authorization },
  retryAttempts: Infinity,
  // 4403: the key is not valid, or was revoked. Everything else is worth another attempt.
  shouldRetry: (event) => event.code !== 4403,
});

const query = `subscription ($domainId: ID!) {
  domainStats(domainId: $domainId) { accepted delivered deferred bounced opened clicked }
}`;
for await (const { data, errors } of client.iterate({ query, variables: { domainId: domain.id } })) {
  if (errors) throw new Error(errors[0].message);
  const counts = Object.entries(data.domainStats).map(([name, count]) => `${name} ${count}`);
  console.log(`${domain.name}: ${counts.join(', ')}`);
}
