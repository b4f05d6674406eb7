import { createHmac } from 'node:crypto';
import { newId } from '#libs/contracts';
import type { Database } from '#libs/persistence';
import pg from 'pg';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OpenTestDatabase } from '../support/test-database.js';
import { WebhookReceiver, type ReceivedCall } from '../support/webhook-receiver.js';
import { queuedEvents, WebhooksProcess, webhooksDatabase, type DeliveryRow } from '../support/webhooks-harness.js';

let db: OpenTestDatabase;
let database: Database;
let receiver: WebhookReceiver;
let accountId: string;
const processes: WebhooksProcess[] = [];

function newProcess(settings: Record<string, string> = {}): WebhooksProcess {
  const made = new WebhooksProcess(db, settings);
  processes.push(made);
  return made;
}
async function running(settings: Record<string, string> = {}): Promise<WebhooksProcess> {
  const made = newProcess(settings);
  await made.dispatcher.start();
  return made;
}
const subscribe = (to: WebhooksProcess, path: string, events = ['*']) =>
  to.subscriptions.create(accountId, { url: receiver.url(path), events });

async function deliveries(webhookId: string): Promise<DeliveryRow[]> {
  const { rows } = await database.query<DeliveryRow>(
    'SELECT * FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id',
    [webhookId],
  );
  return rows;
}
/** The deliveries of an endpoint as soon as none is pending any more. */
async function finished(webhookId: string, withinMs = 15_000): Promise<DeliveryRow[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const rows = await deliveries(webhookId);
    if (rows.length > 0 && rows.every((row) => row.status !== 'pending')) return rows;
    if (performance.now() > deadline)
      throw new Error(`still pending: ${JSON.stringify(rows.map((row) => row.status))}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
/** Every connection of our pool breaks, and for `ms` no statement on deliveries succeeds. */
async function outage(ms: number): Promise<void> {
  const client = new pg.Client(db.url);
  await client.connect();
  await client.query('ALTER TABLE webhook_deliveries RENAME TO away');
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await new Promise((resolve) => setTimeout(resolve, ms));
  await client.query('ALTER TABLE away RENAME TO webhook_deliveries');
  await client.end();
}
function expectSigned(call: ReceivedCall, secret: string): void {
  const headers = call.headers as Record<string, string>;
  expect(new Verifier(secret).verify(call.body, headers)).toEqual(JSON.parse(call.body));
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-service-signature']) ?? [];
  expect(t).toBe(headers['webhook-timestamp']);
  expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${call.body}`).digest('hex'));
}

beforeAll(async () => {
  db = await webhooksDatabase();
  database = db.database;
  receiver = await WebhookReceiver.start();
});
beforeEach(() => {
  accountId = newId('acc');
});
afterEach(async () => {
  const stopped = processes.splice(0).map((made) => made.stop());
  receiver.hangUp();
  await Promise.all(stopped);
  await database.query('DELETE FROM webhook_deliveries');
  await database.query('DELETE FROM webhooks');
});
afterAll(async () => {
  await receiver.close();
  await db.close();
});

describe('WebhookSubscriptions', () => {
  it('shows the secret on create only, and keeps it sealed', async () => {
    const { subscriptions } = newProcess();
    const { secret, ...view } = await subscriptions.create(accountId, {
      url: 'https://example.com/hook',
      events: ['email.sent', 'email.sent', 'email.failed'],
    });
    expect(view).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-f]{32}$/),
      object: 'webhook',
      url: 'https://example.com/hook',
      events: ['email.sent', 'email.failed'],
      status: 'enabled',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(secret).toMatch(/^whsec_/);
    expect(await subscriptions.list(accountId)).toEqual([view]);
    const { rows } = await database.query<{ secret_sealed: Buffer }>('SELECT secret_sealed FROM webhooks');
    expect(rows[0].secret_sealed.includes(Buffer.from(secret.slice(6)))).toBe(false);
  });

  it('refuses bad fields with their paths', async () => {
    const { subscriptions } = newProcess({ ALLOW_PRIVATE_WEBHOOKS: 'false' });
    await expect(
      subscriptions.create(accountId, { url: 'https://127.1/', events: ['email.sent', 'nothing'] }),
    ).rejects.toMatchObject({
      code: 'validation_error',
      details: [
        { field: 'url', code: 'private_address' },
        { field: 'events[1]', code: 'unknown_event' },
      ],
    });
    await expect(subscriptions.create(accountId, { events: ['*'] } as never)).rejects.toMatchObject({
      code: 'missing_required_field',
      details: [{ field: 'url', code: 'required' }],
    });
  });

  it('makes exactly ten for an account, also when many are asked for at once', async () => {
    const made = newProcess();
    const asked = await Promise.allSettled(Array.from({ length: 14 }, (_, i) => subscribe(made, `/limit/${i}`)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    for (const refused of asked.filter((result) => result.status === 'rejected'))
      expect(refused.reason).toMatchObject({ code: 'conflict', details: [{ code: 'limit_reached' }] });
    await expect(
      made.subscriptions.create(newId('acc'), { url: receiver.url('/'), events: ['*'] }),
    ).resolves.toBeTruthy();
  });

  it('lists the newest first, and removes for its own account only', async () => {
    const made = newProcess();
    const [first, second] = [await subscribe(made, '/a'), await subscribe(made, '/b')];
    expect((await made.subscriptions.list(accountId)).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await made.subscriptions.remove(newId('acc'), first.id)).toBe(false);
    expect(await made.subscriptions.remove(accountId, first.id)).toBe(true);
    expect(await made.subscriptions.remove(accountId, first.id)).toBe(false);
    expect((await made.subscriptions.list(accountId)).map(({ id }) => id)).toEqual([second.id]);
  });

  it('takes what waits for an endpoint away with it', async () => {
    const made = newProcess();
    const webhook = await subscribe(made, '/gone');
    await made.fanOut.handle({ events: queuedEvents(accountId, 3) });
    expect(await deliveries(webhook.id)).toHaveLength(3);
    await made.subscriptions.remove(accountId, webhook.id);
    expect(await deliveries(webhook.id)).toEqual([]);
  });
});

describe('WebhookFanOut', () => {
  it('makes one delivery per event and endpoint that wants it', async () => {
    const made = newProcess();
    const [all, some, none] = [
      await subscribe(made, '/all'),
      await subscribe(made, '/some', ['email.queued', 'email.sent']),
      await subscribe(made, '/none', ['email.sent']),
    ];
    const stranger = await made.subscriptions.create(newId('acc'), { url: receiver.url('/x'), events: ['*'] });
    const events = queuedEvents(accountId, 2);
    await made.fanOut.handle({ events });
    expect((await deliveries(all.id)).map((row) => row.event_id)).toEqual(events.map(({ event }) => event.id));
    expect(await deliveries(some.id)).toHaveLength(2);
    expect(await deliveries(none.id)).toEqual([]);
    expect(await deliveries(stranger.id)).toEqual([]);
  });

  it('adds nothing when a batch, or a part of it, is handed over again', async () => {
    const made = newProcess();
    const webhook = await subscribe(made, '/twice');
    const events = queuedEvents(accountId, 5);
    await made.fanOut.handle({ events });
    await made.fanOut.handle({ events });
    await Promise.all([
      made.fanOut.handle({ events: events.slice(2) }),
      made.fanOut.handle({ events: [...events, ...events] }),
    ]);
    expect(await deliveries(webhook.id)).toHaveLength(5);
  });

  it('gives nothing to an endpoint that was removed or disabled elsewhere', async () => {
    const here = newProcess();
    const webhook = await subscribe(here, '/removed');
    const gone = await subscribe(here, '/disabled');
    await newProcess().subscriptions.remove(accountId, webhook.id);
    await newProcess().ledger.disable(gone.id);
    await here.fanOut.handle({ events: queuedEvents(accountId) });
    expect(await deliveries(webhook.id)).toEqual([]);
    expect(await deliveries(gone.id)).toEqual([]);
  });
});

describe('WebhookDispatcher', () => {
  it('delivers an event once, signed in both ways, with sequence and attempt', async () => {
    const made = await running();
    const webhook = await subscribe(made, '/once');
    receiver.script('/once', { status: 200, body: 'ok' });
    const [logged] = queuedEvents(accountId);
    await made.fanOut.handle({ events: [logged] });
    expect(await finished(webhook.id)).toMatchObject([
      {
        status: 'delivered',
        attempts: 1,
        last_status: 200,
        last_error: null,
        last_answer: 'ok',
        due_at: null,
        claimed_by: null,
      },
    ]);
    const [call, ...more] = receiver.callsTo('/once');
    expect(more).toEqual([]);
    expectSigned(call, webhook.secret);
    expect(call.headers).toMatchObject({
      'webhook-id': logged.event.id,
      'x-service-sequence': '1',
      'x-service-attempt': '1',
    });
    const { type, created_at, data } = logged.event;
    expect(JSON.parse(call.body)).toEqual({ type, created_at, data });
  });

  it('climbs the ladder: body and id stay, time and both signatures are new, and then it gives up', async () => {
    const made = await running({ WEBHOOK_RETRY_SCHEDULE: '1100ms,1200ms' });
    const webhook = await subscribe(made, '/down');
    receiver.script('/down', 500, 'reset', 503);
    const [logged] = queuedEvents(accountId);
    await made.fanOut.handle({ events: [logged] });
    expect(await finished(webhook.id)).toMatchObject([
      { status: 'failed', attempts: 3, last_status: 503, last_error: 'status_not_2xx', due_at: null },
    ]);
    const calls = receiver.callsTo('/down');
    for (const call of calls) expectSigned(call, webhook.secret);
    expect(calls.map((call) => call.headers['x-service-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(calls.map((call) => call.headers['webhook-id']))).toEqual(new Set([logged.event.id]));
    expect(new Set(calls.map((call) => call.body)).size).toBe(1);
    expect(new Set(calls.map((call) => call.headers['webhook-timestamp'])).size).toBe(3);
    expect(new Set(calls.map((call) => call.headers['x-service-signature'])).size).toBe(3);
    expect(new Set(calls.map((call) => call.headers['webhook-signature'])).size).toBe(3);
    const [first, second, third] = calls.map((call) => call.at);
    expect(second - first).toBeGreaterThan(1100 * 0.9);
    expect(third - second).toBeGreaterThan(1200 * 0.9);
  });

  it('makes one attempt more than the schedule has delays, and stops at the first success', async () => {
    const made = await running();
    const [never, late] = [await subscribe(made, '/never'), await subscribe(made, '/late')];
    receiver.script('/never', 404);
    receiver.script('/late', 500, 500, 204);
    await made.fanOut.handle({ events: queuedEvents(accountId) });
    expect(await finished(never.id)).toMatchObject([{ status: 'failed', attempts: 4 }]);
    expect(await finished(late.id)).toMatchObject([
      { status: 'delivered', attempts: 3, last_status: 204, last_error: null },
    ]);
    expect(receiver.callsTo('/never')).toHaveLength(4);
    expect(receiver.callsTo('/late')).toHaveLength(3);
  });

  it('does not follow a redirect and counts it as a failure', async () => {
    const made = await running({ WEBHOOK_RETRY_SCHEDULE: '50ms' });
    const webhook = await subscribe(made, '/moved');
    receiver.script('/moved', { status: 301, headers: { location: receiver.url('/elsewhere') } });
    await made.fanOut.handle({ events: queuedEvents(accountId) });
    expect(await finished(webhook.id)).toMatchObject([
      { status: 'failed', attempts: 2, last_status: 301, last_error: 'redirect_not_followed' },
    ]);
    expect(receiver.callsTo('/elsewhere')).toEqual([]);
  });

  it('disables an endpoint that answers 410, after one call', async () => {
    const made = await running();
    const webhook = await subscribe(made, '/410');
    receiver.script('/410', 410);
    await made.fanOut.handle({ events: queuedEvents(accountId) });
    expect(await finished(webhook.id)).toMatchObject([{ status: 'failed', attempts: 1, last_status: 410 }]);
    const status = async () => (await made.subscriptions.list(accountId))[0].status;
    await expect.poll(status, { timeout: 15_000 }).toBe('disabled');
    await made.fanOut.handle({ events: queuedEvents(accountId) });
    expect(await deliveries(webhook.id)).toHaveLength(1);
    expect(receiver.callsTo('/410')).toHaveLength(1);
  });

  it('fails what waits for an endpoint when it turns out to be gone', async () => {
    const made = newProcess({ WEBHOOK_RETRY_SCHEDULE: '1h' });
    const webhook = await subscribe(made, '/410-later');
    receiver.script('/410-later', 500, 410);
    await made.fanOut.handle({ events: queuedEvents(accountId) });
    await made.dispatcher.start();
    await receiver.waitFor('/410-later', 1);
    await made.fanOut.handle({ events: queuedEvents(accountId) });
    const rows = await finished(webhook.id);
    expect(rows).toMatchObject([
      { status: 'failed', last_error: 'endpoint_disabled', due_at: null },
      { status: 'failed', last_status: 410, due_at: null },
    ]);
  });

  it('waits as long as a 429 asks for', async () => {
    const made = await running();
    const webhook = await subscribe(made, '/429');
    receiver.script('/429', { status: 429, headers: { 'retry-after': '1' } }, 200);
    await made.fanOut.handle({ events: queuedEvents(accountId) });
    expect(await finished(webhook.id)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
    const [first, second] = receiver.callsTo('/429');
    expect(second.at - first.at).toBeGreaterThan(950);
  });

  it('lets no slow, silent or broken endpoint delay a healthy one', async () => {
    const made = await running({ WEBHOOK_RETRY_SCHEDULE: '1h', WEBHOOK_TIMEOUT: '15s' });
    const bad = ['silent', 'endless', 'trickle', 'reset'] as const;
    for (const kind of bad) {
      receiver.script(`/bad/${kind}`, kind);
      await subscribe(made, `/bad/${kind}`);
    }
    const healthy = await subscribe(made, '/healthy');
    await made.fanOut.handle({ events: queuedEvents(accountId, 60) });
    expect(await finished(healthy.id)).toHaveLength(60);
    await receiver.waitFor('/bad/silent', 10);
    // Ten in flight and no more until the first of them runs into its time limit: all of them still hang.
    expect(receiver.callsTo('/bad/silent')).toHaveLength(10);
  });

  it('keeps to ten calls in flight per endpoint with two dispatchers', async () => {
    const [one] = [await running({ WEBHOOK_TIMEOUT: '15s' }), await running({ WEBHOOK_TIMEOUT: '15s' })];
    receiver.script('/cap', 'silent');
    await subscribe(one, '/cap');
    await one.fanOut.handle({ events: queuedEvents(accountId, 60) });
    await receiver.waitFor('/cap', 10);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(receiver.callsTo('/cap').length).toBeLessThanOrEqual(10);
  });

  it('carries a crowd through without losing or repeating any', async () => {
    const [one, two] = [await running(), await running()];
    const webhook = await subscribe(one, '/crowd');
    const events = queuedEvents(accountId, 500);
    await one.fanOut.handle({ events });
    expect((await finished(webhook.id)).every((row) => row.status === 'delivered' && row.attempts === 1)).toBe(true);
    const ids = receiver.callsTo('/crowd').map((call) => call.headers['webhook-id']);
    expect(ids).toHaveLength(500);
    expect(new Set(ids)).toEqual(new Set(events.map(({ event }) => event.id)));
    expect(two).toBeDefined();
  });

  it('delivers again what a killed worker had claimed, and heeds nothing that it says later', async () => {
    const killed = newProcess();
    const webhook = await subscribe(killed, '/killed');
    await killed.fanOut.handle({ events: queuedEvents(accountId) });
    await killed.worker.register();
    const [job] = await killed.ledger.claim(10, 10);
    await database.query(`UPDATE workers SET heartbeat_at = now() - interval '21 s' WHERE id = $1`, [killed.worker.id]);

    await running();
    await receiver.waitFor('/killed', 1);
    expect(await finished(webhook.id)).toMatchObject([{ status: 'delivered', fence: job.fence + 1 }]);
    const late = {
      id: job.id,
      fence: job.fence,
      status: 'pending',
      delayMs: 1,
      lastStatus: 500,
      lastError: 'x',
      latencyMs: 1,
      answer: null,
    } as const;
    expect(await killed.ledger.settle([late])).toEqual([false]);
    expect(await deliveries(webhook.id)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  it('frees claims whose worker somebody else has already buried', async () => {
    const killed = newProcess();
    const webhook = await subscribe(killed, '/buried');
    await killed.fanOut.handle({ events: queuedEvents(accountId) });
    await killed.worker.register();
    await killed.ledger.claim(10, 10);
    await database.query('DELETE FROM workers WHERE id = $1', [killed.worker.id]);
    await running();
    expect(await finished(webhook.id)).toMatchObject([{ status: 'delivered' }]);
  });

  it('writes down what came of its calls when the database is back', async () => {
    const made = await running();
    const webhook = await subscribe(made, '/outage');
    receiver.script('/outage', { status: 200, delayMs: 100 });
    await made.fanOut.handle({ events: queuedEvents(accountId, 10) });
    await receiver.waitFor('/outage', 10);
    await outage(600);
    const rows = await finished(webhook.id);
    expect(rows.every((row) => row.status === 'delivered' && row.attempts === 1)).toBe(true);
    expect(receiver.callsTo('/outage')).toHaveLength(10);
  });

  it('stops although an endpoint keeps silent for longer, and leaves no claim', async () => {
    const made = await running({ WEBHOOK_TIMEOUT: '10m' });
    const webhook = await subscribe(made, '/hanging');
    receiver.script('/hanging', 'silent');
    await made.fanOut.handle({ events: queuedEvents(accountId, 3) });
    await receiver.waitFor('/hanging', 3);
    await made.dispatcher.stop();
    expect(await deliveries(webhook.id)).toMatchObject(
      [1, 2, 3].map(() => ({ status: 'pending', claimed_by: null, attempts: 0, due_at: expect.any(Date) })),
    );
  });

  it('says why a private target gets nothing where private targets are not allowed', async () => {
    const open = newProcess();
    const webhook = await subscribe(open, '/private');
    await open.fanOut.handle({ events: queuedEvents(accountId) });
    await running({ ALLOW_PRIVATE_WEBHOOKS: 'false', WEBHOOK_RETRY_SCHEDULE: '20ms' });
    expect(await finished(webhook.id)).toMatchObject([
      { status: 'failed', attempts: 2, last_error: 'target_refused', last_status: null },
    ]);
    expect(receiver.callsTo('/private')).toEqual([]);
  });
});
