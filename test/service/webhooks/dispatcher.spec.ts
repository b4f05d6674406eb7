import { createHmac } from 'node:crypto';
import { newId, wholeAccount } from '#libs/contracts';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ReceivedCall } from '../../support/webhooks/webhook-receiver.js';
import { queuedEvents } from '../../support/webhooks/webhooks-harness.js';
import { WebhooksFixture } from '../../support/webhooks/webhooks-fixture.js';

let stage: WebhooksFixture;

beforeAll(async () => {
  stage = await WebhooksFixture.start();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

function expectSigned(call: ReceivedCall, secret: string): void {
  const headers = call.headers as Record<string, string>;
  expect(new Verifier(secret).verify(call.body, headers)).toEqual(JSON.parse(call.body));
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-service-signature']) ?? [];
  expect(t).toBe(headers['webhook-timestamp']);
  expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${call.body}`).digest('hex'));
}

describe('WebhookDispatcher', () => {
  it('delivers an event once, signed in both ways, with sequence and attempt', async () => {
    const made = await stage.running();
    const webhook = await stage.subscribe(made, '/once');
    stage.receiver.script('/once', { status: 200, body: 'ok' });
    const [logged] = queuedEvents(stage.accountId);
    await made.fanOut.handle({ events: [logged] });
    expect(await stage.finished(webhook.id)).toMatchObject([
      {
        status: 'delivered',
        attempts: 1,
        last_status: 200,
        last_error: null,
        last_response: 'ok',
        due_at: null,
        claimed_by: null,
      },
    ]);
    const [call, ...more] = stage.receiver.callsTo('/once');
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
    const made = await stage.running({ WEBHOOK_RETRY_SCHEDULE: '1100ms,1200ms' });
    const webhook = await stage.subscribe(made, '/down');
    stage.receiver.script('/down', 500, 'reset', 503);
    const [logged] = queuedEvents(stage.accountId);
    await made.fanOut.handle({ events: [logged] });
    expect(await stage.finished(webhook.id)).toMatchObject([
      { status: 'failed', attempts: 3, last_status: 503, last_error: 'status_not_2xx', due_at: null },
    ]);
    const calls = stage.receiver.callsTo('/down');
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
    // The lag is that of the first request; retries do not count.
    expect(await made.metrics.render()).toContain('postloft_webhook_lag_seconds_count 1\n');
  });

  it('makes one attempt more than the schedule has delays, and stops at the first success', async () => {
    const made = await stage.running();
    const [never, late] = [await stage.subscribe(made, '/never'), await stage.subscribe(made, '/late')];
    stage.receiver.script('/never', 404);
    stage.receiver.script('/late', 500, 500, 204);
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    expect(await stage.finished(never.id)).toMatchObject([{ status: 'failed', attempts: 4 }]);
    expect(await stage.finished(late.id)).toMatchObject([
      { status: 'delivered', attempts: 3, last_status: 204, last_error: null },
    ]);
    expect(stage.receiver.callsTo('/never')).toHaveLength(4);
    expect(stage.receiver.callsTo('/late')).toHaveLength(3);
  });

  it('does not follow a redirect and counts it as a failure', async () => {
    const made = await stage.running({ WEBHOOK_RETRY_SCHEDULE: '50ms' });
    const webhook = await stage.subscribe(made, '/moved');
    stage.receiver.script('/moved', { status: 301, headers: { location: stage.receiver.url('/elsewhere') } });
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    expect(await stage.finished(webhook.id)).toMatchObject([
      { status: 'failed', attempts: 2, last_status: 301, last_error: 'redirect_not_followed' },
    ]);
    expect(stage.receiver.callsTo('/elsewhere')).toEqual([]);
  });

  it('disables an endpoint that answers 410, after one call', async () => {
    const made = await stage.running();
    const webhook = await stage.subscribe(made, '/410');
    stage.receiver.script('/410', 410);
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    expect(await stage.finished(webhook.id)).toMatchObject([{ status: 'failed', attempts: 1, last_status: 410 }]);
    const status = async () => (await made.subscriptions.list(wholeAccount(stage.accountId)))[0].status;
    await expect.poll(status, { timeout: 15_000 }).toBe('disabled');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    expect(await stage.deliveries(webhook.id)).toHaveLength(1);
    expect(stage.receiver.callsTo('/410')).toHaveLength(1);
  });

  it('fails what waits for an endpoint when it turns out to be gone', async () => {
    const made = stage.newProcess({ WEBHOOK_RETRY_SCHEDULE: '1h' });
    const webhook = await stage.subscribe(made, '/410-later');
    stage.receiver.script('/410-later', 500, 410);
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    await made.dispatcher.start();
    await stage.receiver.waitFor('/410-later', 1);
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    const rows = await stage.finished(webhook.id);
    expect(rows).toMatchObject([
      { status: 'failed', last_error: 'endpoint_disabled', due_at: null },
      { status: 'failed', last_status: 410, due_at: null },
    ]);
  });

  it('waits as long as a 429 asks for', async () => {
    const made = await stage.running();
    const webhook = await stage.subscribe(made, '/429');
    stage.receiver.script('/429', { status: 429, headers: { 'retry-after': '1' } }, 200);
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    expect(await stage.finished(webhook.id)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
    const [first, second] = stage.receiver.callsTo('/429');
    expect(second.at - first.at).toBeGreaterThan(950);
  });

  it('lets no slow, silent or broken endpoint delay a healthy one', async () => {
    const made = await stage.running({ WEBHOOK_RETRY_SCHEDULE: '1h', WEBHOOK_TIMEOUT: '15s' });
    const bad = ['silent', 'endless', 'trickle', 'reset'] as const;
    for (const kind of bad) {
      stage.receiver.script(`/bad/${kind}`, kind);
      await stage.subscribe(made, `/bad/${kind}`);
    }
    const healthy = await stage.subscribe(made, '/healthy');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 60) });
    expect(await stage.finished(healthy.id)).toHaveLength(60);
    await stage.receiver.waitFor('/bad/silent', 10);
    // Ten in flight and no more until the first of them runs into its time limit: all of them still hang.
    expect(stage.receiver.callsTo('/bad/silent')).toHaveLength(10);
  });

  it('lets no endpoint that is slow, or locked in the database, delay a healthy one', async () => {
    const made = await stage.running({ WEBHOOK_TIMEOUT: '15s' });
    stage.receiver.script('/slow', { status: 200, delayMs: 1_000 });
    await stage.subscribe(made, '/slow');
    const gone: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      stage.receiver.script(`/gone/${name}`, 410);
      gone.push((await stage.subscribe(made, `/gone/${name}`)).id);
    }
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 1_500) });
    stage.accountId = newId('acc');
    const healthy = await stage.subscribe(made, '/healthy');
    // As a replay or another dispatcher locks them. Ten calls to each are in flight, and each is to disable it.
    await stage.db.database.transaction(async (tx) => {
      await tx.query('SELECT FROM webhooks WHERE id = ANY($1) FOR UPDATE', [gone]);
      for (const name of ['a', 'b', 'c']) await stage.receiver.waitFor(`/gone/${name}`, 10);
      for (let i = 0; i < 20; i++) {
        await made.fanOut.handle({ events: queuedEvents(stage.accountId, 3) });
        await stage.receiver.waitFor('/healthy', 3 * (i + 1));
      }
      expect(await stage.finished(healthy.id)).toHaveLength(60);
    });
    for (const id of gone) {
      const rows = await stage.finished(id);
      expect(rows).toHaveLength(1_500);
      expect(rows.every(({ status }) => status === 'failed')).toBe(true);
    }
  });

  it('keeps to ten calls in flight per endpoint with two dispatchers', async () => {
    const [one] = [await stage.running({ WEBHOOK_TIMEOUT: '15s' }), await stage.running({ WEBHOOK_TIMEOUT: '15s' })];
    stage.receiver.script('/cap', 'silent');
    await stage.subscribe(one, '/cap');
    await one.fanOut.handle({ events: queuedEvents(stage.accountId, 60) });
    await stage.receiver.waitFor('/cap', 10);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(stage.receiver.callsTo('/cap').length).toBeLessThanOrEqual(10);
  });

  it('delivers many events without losing or repeating any', async () => {
    // On a busy machine a hundred requests at once may take longer than the two seconds of the other tests.
    const settings = { WEBHOOK_TIMEOUT: '15s' };
    const [one, two] = [await stage.running(settings), await stage.running(settings)];
    const webhook = await stage.subscribe(one, '/many');
    const events = queuedEvents(stage.accountId, 500);
    await one.fanOut.handle({ events });
    expect(
      (await stage.finished(webhook.id, 40_000)).every((row) => row.status === 'delivered' && row.attempts === 1),
    ).toBe(true);
    const ids = stage.receiver.callsTo('/many').map((call) => call.headers['webhook-id']);
    expect(ids).toHaveLength(500);
    expect(new Set(ids)).toEqual(new Set(events.map(({ event }) => event.id)));
    expect(two).toBeDefined();
  });

  it('delivers again what a killed worker had claimed, and heeds nothing that it says later', async () => {
    const killed = stage.newProcess();
    const webhook = await stage.subscribe(killed, '/killed');
    await killed.fanOut.handle({ events: queuedEvents(stage.accountId) });
    await killed.worker.register();
    const [job] = (await killed.queue.claim(10)).jobs;
    await stage.db.database.query(`UPDATE workers SET heartbeat_at = now() - interval '21 s' WHERE id = $1`, [
      killed.worker.id,
    ]);

    await stage.running();
    await stage.receiver.waitFor('/killed', 1);
    expect(await stage.finished(webhook.id)).toMatchObject([{ status: 'delivered', fence: job.fence + 1 }]);
    const late = {
      id: job.id,
      fence: job.fence,
      attemptId: newId('atm'),
      startedAt: new Date(),
      status: 'pending',
      delayMs: 1,
      lastStatus: 500,
      lastError: 'x',
      latencyMs: 1,
      response: null,
    } as const;
    expect(await killed.queue.settle([late])).toEqual([{ written: false, wasFailing: false, failingTooLong: false }]);
    expect(await stage.deliveries(webhook.id)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });

  it('frees claims whose worker somebody else has already buried', async () => {
    const killed = stage.newProcess();
    const webhook = await stage.subscribe(killed, '/buried');
    await killed.fanOut.handle({ events: queuedEvents(stage.accountId) });
    await killed.worker.register();
    await killed.queue.claim(10);
    await stage.db.database.query('DELETE FROM workers WHERE id = $1', [killed.worker.id]);
    await stage.running();
    expect(await stage.finished(webhook.id)).toMatchObject([{ status: 'delivered' }]);
  });

  it('writes down what came of its calls when the database is back', async () => {
    const made = await stage.running();
    const webhook = await stage.subscribe(made, '/outage');
    stage.receiver.script('/outage', { status: 200, delayMs: 100 });
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 10) });
    await stage.receiver.waitFor('/outage', 10);
    await stage.outage(600);
    const rows = await stage.finished(webhook.id);
    expect(rows.every((row) => row.status === 'delivered' && row.attempts === 1)).toBe(true);
    expect(stage.receiver.callsTo('/outage')).toHaveLength(10);
  });

  it('stops although an endpoint keeps silent for longer, and leaves no claim', async () => {
    const made = await stage.running({ WEBHOOK_TIMEOUT: '10m' });
    const webhook = await stage.subscribe(made, '/hanging');
    stage.receiver.script('/hanging', 'silent');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 3) });
    await stage.receiver.waitFor('/hanging', 3);
    await made.dispatcher.stop();
    expect(await stage.deliveries(webhook.id)).toMatchObject(
      [1, 2, 3].map(() => ({ status: 'pending', claimed_by: null, attempts: 0, due_at: expect.any(Date) })),
    );
  });

  it('says why a private target gets nothing where private targets are not allowed', async () => {
    const open = stage.newProcess();
    const webhook = await stage.subscribe(open, '/private');
    await open.fanOut.handle({ events: queuedEvents(stage.accountId) });
    await stage.running({ ALLOW_PRIVATE_WEBHOOKS: 'false', WEBHOOK_RETRY_SCHEDULE: '20ms' });
    expect(await stage.finished(webhook.id)).toMatchObject([
      { status: 'failed', attempts: 2, last_error: 'target_refused', last_status: null },
    ]);
    expect(stage.receiver.callsTo('/private')).toEqual([]);
  });
});
