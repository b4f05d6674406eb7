import { EventLog } from '#libs/bus';
import { WebhookDispatcher, WebhookFanOut } from '#libs/webhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { good, refused, resendClient, timestamp, uuid } from '../../support/resend/resend-client.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver, type ReceivedCall } from '../../support/webhooks/webhook-receiver.js';

let gateway: GatewayApp;
let receiver: WebhookReceiver;
let own: Awaited<ReturnType<GatewayApp['account']>>;
let resend: ReturnType<typeof resendClient>;
let paths = 0;
let path: string;

beforeAll(async () => {
  [gateway, receiver] = await Promise.all([
    startGatewayApp({ WEBHOOK_RETRY_SCHEDULE: '100ms,100ms' }),
    WebhookReceiver.start(),
  ]);
  const fanOut = gateway.app.get(WebhookFanOut, { strict: false });
  await gateway.app.get(WebhookDispatcher, { strict: false }).start();
  await gateway.app
    .get(EventLog, { strict: false })
    .consume({ consumer: 'webhooks', batchSize: 100, handle: (batch) => fanOut.handle(batch) });
});
beforeEach(async () => {
  own = await gateway.account();
  resend = resendClient(gateway.url, own.key);
  path = `/${++paths}`;
});
afterAll(async () => {
  await gateway.app.get(WebhookDispatcher, { strict: false }).stop();
  await gateway.stop();
  await receiver.close();
});

type Kinds = Parameters<typeof resend.webhooks.create>[0]['events'];

const create = (...events: Kinds) => good(resend.webhooks.create({ endpoint: receiver.url(path), events }));
const ours = (prefix: string, id: string) => `${prefix}_${id.replaceAll('-', '')}`;

/** What a receiver that was written for Resend does with a call. */
function verified(secret: string, { body, headers }: ReceivedCall) {
  const header = (name: string) => String(headers[`svix-${name}`]);
  const names = { id: header('id'), timestamp: header('timestamp'), signature: header('signature') };
  new SvixWebhook(secret).verify(body, {
    'svix-id': names.id,
    'svix-timestamp': names.timestamp,
    'svix-signature': names.signature,
  });
  return resend.webhooks.verify({ payload: body, headers: names, webhookSecret: secret });
}

describe('resend.webhooks', () => {
  it('creates, shows and lists, with the address under both names', async () => {
    const made = await create('email.sent', 'contact.created');
    const shown = {
      id: uuid(),
      endpoint: receiver.url(path),
      url: receiver.url(path),
      created_at: timestamp(),
      status: 'enabled',
      events: ['email.sent', 'contact.created'],
    };
    const secret = { signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string };
    expect(made).toEqual({ object: 'webhook', ...shown, ...secret });
    expect(await good(resend.webhooks.get(made.id))).toEqual(made);
    expect(await good(resend.webhooks.list())).toEqual({ object: 'list', has_more: false, data: [shown] });
    const [native] = (await gateway.agent(own.key).get('/webhooks')).body as object[];
    expect(native).toMatchObject({ id: ours('wh', made.id), url: receiver.url(path) });
    expect(native).not.toHaveProperty('secret');
  });

  it('takes url for endpoint, and says which of them is wrong', async () => {
    const post = async (body: object) => {
      const answer = await gateway.agent(own.key).post('/resend/webhooks').send(body);
      const { details = [], endpoint } = answer.body as { details?: { field: string }[]; endpoint?: string };
      return [answer.status, endpoint ?? details.map(({ field }) => field)];
    };
    const url = receiver.url(path);
    expect(await post({ url, events: ['email.sent'] })).toEqual([200, url]);
    expect(await post({ url, endpoint: null, events: ['email.sent'] })).toEqual([200, url]);
    expect(await post({ url: 'nowhere', events: ['email.sent'] })).toEqual([400, ['url']]);
    expect(await post({ endpoint: 'nowhere', events: ['no.such'] })).toEqual([400, ['endpoint', 'events[0]']]);
    expect(await post({})).toEqual([422, ['endpoint', 'events']]);
    expect(await refused(resend.webhooks.create({ endpoint: url, events: [] }))).toEqual([400, 'validation_error']);
  });

  it('lists in pages, those of the native routes too', async () => {
    const first = await create('email.sent');
    await gateway
      .agent(own.key)
      .post('/webhooks')
      .send({ url: receiver.url(path), events: ['*'] });
    const all = await good(resend.webhooks.list());
    expect(all.data.map(({ events }) => events)).toEqual([null, ['email.sent']]);
    const page = await good(resend.webhooks.list({ limit: 1 }));
    expect([page.has_more, page.data]).toEqual([true, all.data.slice(0, 1)]);
    const rest = await good(resend.webhooks.list({ limit: 1, after: page.data[0].id }));
    expect([rest.has_more, rest.data.map(({ id }) => id)]).toEqual([false, [first.id]]);
  });

  it('updates and removes', async () => {
    const { id } = await create('email.sent');
    const endpoint = receiver.url('/elsewhere');
    expect(await good(resend.webhooks.update(id, { endpoint, status: 'disabled' }))).toEqual({ object: 'webhook', id });
    expect(await good(resend.webhooks.get(id))).toMatchObject({ endpoint, status: 'disabled', events: ['email.sent'] });
    await good(resend.webhooks.update(id, { events: ['email.bounced'], status: 'enabled' }));
    expect(await good(resend.webhooks.get(id))).toMatchObject({ status: 'enabled', events: ['email.bounced'] });
    expect(await refused(resend.webhooks.update(id, { endpoint: 'nowhere' }))).toEqual([400, 'validation_error']);
    expect(await good(resend.webhooks.remove(id))).toEqual({ object: 'webhook', id, deleted: true });
    expect(await refused(resend.webhooks.get(id))).toEqual([404, 'not_found']);
    expect(await refused(resend.webhooks.remove(id))).toEqual([404, 'not_found']);
    expect(await refused(resend.webhooks.rotateSigningSecret(id))).toEqual([404, 'not_found']);
    expect(await refused(resend.webhooks.update(id, {}))).toEqual([404, 'not_found']);
  });

  it('shows the secret only to a key that could change it', async () => {
    const { id } = await create('email.sent');
    const body = { name: 'Reads', scopes: ['webhooks.read'] };
    const answer = await gateway.agent(own.key).post('/api-keys').send(body);
    const reader = resendClient(gateway.url, (answer.body as { token: string }).token);
    expect((await good(reader.webhooks.list())).data).toHaveLength(1);
    expect(await refused(reader.webhooks.get(id))).toEqual([401, 'restricted_api_key']);
  });

  it('tells what became of a mail in calls that verify, by the id that sending gave', async () => {
    const queued = 'email.queued' as 'email.sent';
    const { signing_secret } = await create(queued, 'domain.created');
    await gateway
      .agent(own.key)
      .post('/webhooks')
      .send({ url: receiver.url(`${path}-native`), events: [queued] });
    const mail = { from: `shop@${own.domain}`, subject: 'Hello', text: 'Hello' };
    const { id } = await good(
      resend.emails.send({ ...mail, to: 'ada@example.net', tags: [{ name: 'a', value: 'b' }] }),
    );
    const domain = await good(resend.domains.create({ name: 'told.example.com' }));
    const calls = await receiver.waitFor(path, 2);
    const told = Object.fromEntries(calls.map((call) => [verified(signing_secret, call).type as string, call]));
    expect(verified(signing_secret, told['email.queued'])).toMatchObject({
      created_at: timestamp(),
      data: { email_id: id, from: mail.from, to: ['ada@example.net'], subject: 'Hello', tags: { a: 'b' } },
    });
    expect(verified(signing_secret, told['domain.created'])).toMatchObject({
      data: { id: domain.id, name: 'told.example.com', status: 'pending', region: 'eu-west-1' },
    });
    const [call] = calls;
    for (const name of ['id', 'timestamp', 'signature'])
      expect(call.headers[`svix-${name}`]).toBe(call.headers[`webhook-${name}`]);
    const [native] = await receiver.waitFor(`${path}-native`, 1);
    expect(JSON.parse(native.body)).toMatchObject({ data: { id: ours('em', id), email_id: ours('em', id) } });
    expect(native.headers).not.toHaveProperty('svix-id');
  });

  it('rotates the secret; the old one still verifies for a while', async () => {
    const { id, signing_secret: first } = await create('domain.created');
    const { signing_secret: second, ...rotated } = await good(resend.webhooks.rotateSigningSecret(id));
    expect(rotated).toEqual({ object: 'webhook', id });
    expect(second).toMatch(/^whsec_/);
    expect(second).not.toBe(first);
    expect(await good(resend.webhooks.get(id))).toMatchObject({ signing_secret: second });
    await good(resend.domains.create({ name: 'rotated.example.com' }));
    const [call] = await receiver.waitFor(path, 1);
    expect([first, second].map((secret) => verified(secret, call).type)).toEqual(['domain.created', 'domain.created']);
  });
});

describe('resend.webhooks.events', () => {
  it('logs events and their calls, and replays them', async () => {
    receiver.script(path, { status: 503, body: 'later' }, 500, 'reset', 200);
    const { id: webhookId } = await create('domain.created');
    await good(resend.domains.create({ name: 'logged.example.com' }));
    const { events } = resend.webhooks;
    const failed = await until(
      async () => (await good(events.list({ webhookId }))).data.find(({ status }) => status === 'failed'),
      { what: 'a failed event' },
    );
    const eventId = failed.id;
    const [call] = receiver.callsTo(path);
    expect(failed).toEqual({
      id: call.headers['svix-id'],
      type: 'domain.created',
      created_at: timestamp(),
      status: 'failed',
    });
    expect(await good(events.get({ webhookId, eventId }))).toEqual({
      object: 'webhook_event',
      ...failed,
      next_attempt_at: null,
      payload: JSON.parse(call.body) as object,
    });
    const attempts = await good(events.attempts.list({ webhookId, eventId }));
    const atm = expect.stringMatching(/^atm_/) as string;
    expect(attempts).toEqual({
      object: 'list',
      has_more: false,
      data: [
        { id: atm, http_status_code: 0, response: '', error: 'connection_failed', sent_at: timestamp() },
        { id: atm, http_status_code: 500, response: '', error: 'status_not_2xx', sent_at: timestamp() },
        { id: atm, http_status_code: 503, response: 'later', error: 'status_not_2xx', sent_at: timestamp() },
      ],
    });
    const page = { webhookId, eventId, limit: 1, after: attempts.data[0].id };
    expect(await good(events.attempts.list(page))).toMatchObject({ has_more: true, data: [attempts.data[1]] });

    expect(await good(events.replay({ webhookId, eventId }))).toEqual({ object: 'webhook_event', id: eventId });
    await until(async () => (await good(events.get({ webhookId, eventId }))).status === 'success');
    expect(receiver.callsTo(path).map(({ body }) => body)).toEqual(Array.from({ length: 4 }, () => call.body));
  });

  it('lists in pages and shows what waits', async () => {
    receiver.script(path, 'silent');
    const { id: webhookId } = await create('domain.created');
    for (const name of ['one', 'two', 'three']) await good(resend.domains.create({ name: `${name}.example.com` }));
    const { events } = resend.webhooks;
    const { data } = await until(async () => {
      const list = await good(events.list({ webhookId }));
      return list.data.length === 3 && list;
    });
    expect(data.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending']);
    expect(await good(events.get({ webhookId, eventId: data[0].id }))).toMatchObject({ next_attempt_at: timestamp() });
    const rest = await good(events.list({ webhookId, limit: 1, after: data[0].id }));
    expect(rest).toEqual({ object: 'list', has_more: true, data: [data[1]] });
    receiver.hangUp();
    await good(resend.webhooks.remove(webhookId));
  });

  it('knows no events of others', async () => {
    const webhookId = (await create('domain.created')).id;
    const { events } = resend.webhooks;
    const eventId = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';
    expect(await good(events.list({ webhookId }))).toEqual({ object: 'list', has_more: false, data: [] });
    for (const event of [eventId, 'nothing']) {
      const of = { webhookId, eventId: event };
      expect(await refused(events.get(of))).toEqual([404, 'not_found']);
      expect(await refused(events.replay(of))).toEqual([404, 'not_found']);
      expect(await refused(events.attempts.list(of))).toEqual([404, 'not_found']);
    }
    const stranger = resendClient(gateway.url, (await gateway.account()).key).webhooks;
    expect(await refused(stranger.events.list({ webhookId }))).toEqual([404, 'not_found']);
    expect(await refused(stranger.get(webhookId))).toEqual([404, 'not_found']);
  });
});
