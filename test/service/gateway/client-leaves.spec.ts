import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

/** Less than the time after which the service ends a fetch by itself. */
const UNABORTED_MS = 4_500;

let gateway: GatewayApp;
let files: WebhookReceiver;
let key: string;
let from: string;

beforeAll(async () => {
  [gateway, files] = await Promise.all([sharedGateway(), WebhookReceiver.start()]);
  const account = await gateway.account();
  key = account.key;
  from = `hello@${account.domain}`;
  files.script('/silent.pdf', 'silent');
});
afterAll(() => files.close());

const email = () => ({
  from,
  to: ['ada@example.com'],
  subject: 'Report',
  text: 'Attached.',
  attachments: [{ filename: 'report.pdf', path: files.url('/silent.pdf') }],
});
const SEND_EMAIL = 'mutation ($input: SendEmailInput!) { sendEmail(input: $input) { id } }';
const SEND_BATCH = 'mutation ($input: SendBatchInput!) { sendBatch(input: $input) { replayed } }';

/** Sends a request, and leaves as soon as the service has begun to fetch. */
async function leaveDuring(path: string, body: unknown): Promise<void> {
  const client = new AbortController();
  const request = fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: client.signal,
  }).then(
    (response) => expect.fail(`was answered ${response.status}`),
    () => undefined,
  );
  await until(async () => files.connectionsOpen > 0, { what: 'the first connection' });
  client.abort();
  await request;
}

describe('requests of the service for a client that leaves', () => {
  it.each([
    ['an email', '/emails', () => email()],
    ['a batch', '/emails/batch', () => Array.from({ length: 5 }, email)],
    ['an email of a client of Resend', '/resend/emails', () => email()],
    ['a batch of a client of Resend', '/resend/emails/batch', () => Array.from({ length: 5 }, email)],
    ['an email over GraphQL', '/graphql', () => ({ query: SEND_EMAIL, variables: { input: email() } })],
    [
      'a batch over GraphQL',
      '/graphql',
      () => ({ query: SEND_BATCH, variables: { input: { emails: Array.from({ length: 5 }, email) } } }),
    ],
  ])('end: %s with a file by path', async (_what, path, body) => {
    await leaveDuring(path, body());
    await until(async () => files.connectionsOpen === 0, {
      what: 'the end of the connections',
      withinMs: UNABORTED_MS,
    });
  });

  it('end: a link check, which makes no further ones', async () => {
    const html = Array.from({ length: 20 }, (_, i) => `<a href="${files.url(`/silent/${i}`)}">x</a>`).join('');
    for (let i = 0; i < 20; i += 1) files.script(`/silent/${i}`, 'silent');
    const sent = await gateway
      .agent(key)
      .post('/emails')
      .send({ from, to: ['ada@example.com'], subject: 'Links', html });
    const { id } = sent.body as { id: string };
    const before = files.connectionsMade;
    await leaveDuring(`/app/message/${id}/link-check`, undefined);
    await until(async () => files.connectionsOpen === 0, {
      what: 'the end of the connections',
      withinMs: UNABORTED_MS,
    });
    expect(files.connectionsMade - before).toBeLessThanOrEqual(5);
  });
});
