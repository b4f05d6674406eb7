// Sends an email over REST, repeats the request with the same idempotency key, and waits for its outcome.
//
//   POSTLOFT_API_KEY=pl_live_… npx tsx send-rest.ts shop@sandbox.postloft.test you@example.com
//
// It needs Node.js 20 or newer and no package.

const url = process.env['POSTLOFT_URL'] ?? 'http://localhost:3000';
const key = process.env['POSTLOFT_API_KEY'] ?? '';
const [from, to] = process.argv.slice(2);

async function call(path: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    ...init,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
  });
  const body = (await response.json()) as Record<string, unknown>;
  // `details` names each field that is wrong.
  if (!response.ok) throw new Error(`${response.status} ${String(body['message'])} ${JSON.stringify(body['details'])}`);
  return body;
}

const email = {
  from,
  to,
  subject: 'Order 4711',
  html: '<p>Thank you.</p>',
  text: 'Thank you.',
  tags: { kind: 'order' },
};
// A request that is repeated with its key, after a time-out for example, sends nothing twice.
const request = {
  method: 'POST',
  headers: { 'idempotency-key': `order-4711-${Date.now()}` },
  body: JSON.stringify(email),
};
const { id } = await call('/emails', request);
const repeated = await call('/emails', request);
if (repeated['id'] !== id) throw new Error('the email was sent twice');

const WAITING = ['queued', 'sending', 'deferred'];
let { status } = await call(`/emails/${String(id)}`);
for (let i = 0; i < 100 && WAITING.includes(String(status)); i += 1) {
  await new Promise((resolve) => setTimeout(resolve, 200));
  ({ status } = await call(`/emails/${String(id)}`));
}
console.log(`${String(id)} ${String(status)}`);
