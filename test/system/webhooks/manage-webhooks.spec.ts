import { Resend } from 'resend';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver, type ReceivedCall } from '../../support/webhooks/webhook-receiver.js';

/** Poll interval: the service allows few requests per second. */
const SLOWLY_MS = 250;

interface Made {
  id: string;
  url: string;
  secret: string;
}
interface EventShown {
  id: string;
  type: string;
  status: string;
  attempts: number;
}

let program: ServiceAccount;
let receiver: WebhookReceiver;

beforeAll(async () => {
  [program, receiver] = await Promise.all([openAccount('webhooks'), WebhookReceiver.start()]);
});
afterAll(() => receiver?.close());

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await program.call(method, path, body);
  const answer = (await response.json()) as T;
  expect([path, response.status < 300, answer]).toEqual([path, true, expect.anything()]);
  return answer;
}

const create = (path: string, events = ['*']) => call<Made>('POST', '/webhooks', { url: receiver.url(path), events });

const eventsOf = async (id: string, query = '') =>
  (await call<{ data: EventShown[] }>('GET', `/webhooks/${id}/events${query}`)).data;

/** The libraries that accept a call with this secret. */
function acceptedBy(secret: string, { body, headers }: ReceivedCall): string[] {
  const signed = headers as Record<string, string>;
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => signed[`webhook-${name}`]);
  const verifiers = {
    standardwebhooks: () => new StandardWebhook(secret).verify(body, signed),
    svix: () => new SvixWebhook(secret).verify(body, signed),
    resend: () =>
      new Resend('re_x').webhooks.verify({
        payload: body,
        headers: { id, timestamp, signature },
        webhookSecret: secret,
      }),
  };
  return Object.entries(verifiers).flatMap(([name, verify]) => {
    try {
      verify();
      return [name];
    } catch {
      return [];
    }
  });
}
const ALL = ['standardwebhooks', 'svix', 'resend'];

it('reports the events of a mail in signed calls that third-party libraries verify, and logs them', async () => {
  const { id, secret } = await create('/life', ['email.queued', 'email.sent', 'email.delivered']);
  const sent = await call<{ id: string }>('POST', '/emails', program.mail());
  const calls = await receiver.waitFor('/life', 3);
  for (const one of calls) expect(acceptedBy(secret, one)).toEqual(ALL);
  const bySequence = [...calls].sort(
    (a, b) => Number(a.headers['x-service-sequence']) - Number(b.headers['x-service-sequence']),
  );
  const told = bySequence.map(({ body }) => JSON.parse(body) as { type: string; data: { id: string } });
  expect(told.map(({ type, data }) => [type, data.id])).toEqual([
    ['email.queued', sent.id],
    ['email.sent', sent.id],
    ['email.delivered', sent.id],
  ]);
  const shown = await until(
    async () => {
      const found = await eventsOf(id, '?status=delivered');
      return found.length === 3 && found;
    },
    { everyMs: SLOWLY_MS, what: 'three delivered events' },
  );
  expect(new Set(shown.map((event) => event.id))).toEqual(new Set(calls.map(({ headers }) => headers['webhook-id'])));
});

it('signs with both secrets while a rotation overlaps, and with the new one alone without overlap', async () => {
  const { id, secret: first } = await create('/rotation', ['email.delivered']);
  const { secret: second } = await call<Made>('POST', `/webhooks/${id}/signing-secret/rotate`);
  await call('POST', `/webhooks/${id}/test`);
  const [during] = await receiver.waitFor('/rotation', 1);
  expect([acceptedBy(first, during), acceptedBy(second, during)]).toEqual([ALL, ALL]);
  const { secret: third } = await call<Made>('POST', `/webhooks/${id}/signing-secret/rotate`, { overlap_hours: 0 });
  await call('POST', `/webhooks/${id}/test`);
  const [, after] = await receiver.waitFor('/rotation', 2);
  expect([first, second, third].map((secret) => acceptedBy(secret, after))).toEqual([[], [], ALL]);
});

it('tests an endpoint, retries, records why it failed, and replays the same event', async () => {
  const { id } = await create('/flaky', ['email.bounced']);
  receiver.script('/flaky', { status: 500, body: 'broken' }, { status: 301, headers: { location: '/x' } }, 500, 200);
  const event = await call<EventShown>('POST', `/webhooks/${id}/test`);
  expect(event).toMatchObject({ object: 'webhook_event', type: 'webhook.test', status: 'pending' });
  const path = `/webhooks/${id}/events/${event.id}`;
  const when = (status: string) =>
    until(async () => (await call<EventShown>('GET', path)).status === status, {
      everyMs: SLOWLY_MS,
      what: `the event to be ${status}`,
    });
  await when('failed');
  const attempts = await call<{ data: object[] }>('GET', `${path}/attempts`);
  expect(attempts.data).toMatchObject([
    { number: 3, http_status_code: 500 },
    { number: 2, http_status_code: 301, error: 'redirect_not_followed' },
    { number: 1, http_status_code: 500, error: 'status_not_2xx', response: 'broken' },
  ]);
  expect(receiver.callsTo('/x')).toEqual([]);
  await call('POST', `${path}/replay`);
  await when('delivered');
  const calls = receiver.callsTo('/flaky');
  expect(calls).toHaveLength(4);
  expect(new Set(calls.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([event.id]));
  expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
});

it('disables an endpoint that answers 410, notifies the others, and catches up when it is enabled again', async () => {
  await create('/watch', ['webhook.disabled']);
  const { id, url } = await create('/gone', ['email.delivered']);
  receiver.script('/gone', 410);
  const from = new Date().toISOString();
  await call('POST', '/emails', program.mail());
  const [told] = await receiver.waitFor('/watch', 1);
  expect(JSON.parse(told.body)).toMatchObject({
    type: 'webhook.disabled',
    data: { webhook_id: id, url, reason: 'gone' },
  });
  expect(await call('GET', `/webhooks/${id}`)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
  expect((await program.call('POST', `/webhooks/${id}/test`)).status).toBe(409);

  receiver.script('/gone', 200);
  await call('PATCH', `/webhooks/${id}`, { status: 'enabled' });
  const replay = await call<{ id: string }>('POST', `/webhooks/${id}/replay`, { from, status: 'failed' });
  const calls = await receiver.waitFor('/gone', 2);
  expect(calls[1].body).toBe(calls[0].body);
  await until(async () => (await eventsOf(id, '?status=delivered&type=email.delivered')).length === 1, {
    everyMs: SLOWLY_MS,
    what: 'the delivered event',
  });
  expect(receiver.callsTo('/watch')).toHaveLength(1);
  expect(await call('GET', `/webhooks/${id}/replays/${replay.id}`)).toMatchObject({ status: 'completed', queued: 1 });
  expect(await call('GET', `/webhooks/${id}`)).toMatchObject({
    delivery: { ...{ lag_seconds: 0, pending: 0, window: 10 }, last_24_hours: { delivered: 1, failed_attempts: 1 } },
  });
});
