import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId, wholeAccount } from '#libs/contracts';
import { queuedEvents } from '../../support/webhooks/webhooks-harness.js';
import { WebhooksFixture } from '../../support/webhooks/webhooks-fixture.js';
import { OUTBOX_EVENTS } from '../../support/persistence/test-database.js';

let stage: WebhooksFixture;

beforeAll(async () => {
  stage = await WebhooksFixture.start();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const everything = { page: { limit: 100 } };

/** An endpoint with `count` events, the first of which are oldest. */
async function filled(count: number, path = '/filled') {
  const made = stage.newProcess();
  const webhook = await stage.subscribe(made, path);
  const events = queuedEvents(stage.accountId, count);
  await made.fanOut.handle({ events });
  return { made, webhook, ids: events.map(({ event }) => event.id) };
}

/** What an earlier time, or another outcome, would have left in these rows. */
function pretend(webhookId: string, eventIds: string[], set: string) {
  return stage.db.database.query(`UPDATE webhook_deliveries SET ${set} WHERE webhook_id = $1 AND event_id = ANY($2)`, [
    webhookId,
    eventIds,
  ]);
}

describe('WebhookDeliveryLog', () => {
  it('tells every attempt with status, error, time and the beginning of the answer', async () => {
    const made = await stage.running();
    const webhook = await stage.subscribe(made, '/told');
    stage.receiver.script('/told', { status: 500, body: 'x'.repeat(10_000) }, 'reset', { status: 200, body: 'thanks' });
    const [logged] = queuedEvents(stage.accountId);
    await made.fanOut.handle({ events: [logged] });
    await stage.finished(webhook.id);
    const { id: eventId } = logged.event;

    const [item, ...more] = (await made.log.list(wholeAccount(stage.accountId), webhook.id, everything))?.data ?? [];
    expect(more).toEqual([]);
    expect(item).toEqual({
      id: eventId,
      object: 'webhook_event',
      delivery_id: expect.stringMatching(/^dlv_[0-9a-f]{32}$/),
      webhook_id: webhook.id,
      type: 'email.queued',
      status: 'delivered',
      attempts: 3,
      last_status: 200,
      last_error: null,
      next_attempt_at: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const { type, created_at, data } = logged.event;
    expect(await made.log.find(wholeAccount(stage.accountId), webhook.id, eventId)).toEqual({
      ...item,
      payload: { type, created_at, data },
    });

    const attempts = await made.log.attempts(
      wholeAccount(stage.accountId),
      { webhookId: webhook.id, eventId },
      { limit: 2 },
    );
    expect(attempts).toMatchObject({ object: 'list', has_more: true });
    expect(attempts?.data).toMatchObject([
      { object: 'webhook_attempt', number: 3, http_status_code: 200, error: null, response: 'thanks' },
      { number: 2, http_status_code: null, error: 'connection_failed', response: null, latency_ms: null },
    ]);
    const rest = await made.log.attempts(
      wholeAccount(stage.accountId),
      { webhookId: webhook.id, eventId },
      { limit: 2, after: attempts?.next_cursor ?? '' },
    );
    expect(rest).toMatchObject({
      has_more: false,
      data: [{ number: 1, http_status_code: 500, error: 'status_not_2xx', response: 'x'.repeat(4096) }],
    });
    expect(Date.parse(rest?.data[0].sent_at ?? '')).toBeLessThanOrEqual(Date.parse(attempts?.data[0].sent_at ?? ''));
  });

  it('pages in both directions without gap or overlap', async () => {
    const { made, webhook, ids } = await filled(7);
    const list = (page: { limit: number; after?: string; before?: string }) =>
      made.log.list(wholeAccount(stage.accountId), webhook.id, { page });
    const first = await list({ limit: 3 });
    expect(first?.data.map(({ id }) => id)).toEqual([ids[6], ids[5], ids[4]]);
    const second = await list({ limit: 3, after: first?.next_cursor ?? '' });
    expect(second?.data.map(({ id }) => id)).toEqual([ids[3], ids[2], ids[1]]);
    const third = await list({ limit: 3, after: second?.next_cursor ?? '' });
    expect(third).toMatchObject({ has_more: false, next_cursor: null, data: [{ id: ids[0] }] });
    const back = await list({ limit: 3, before: ids[2] });
    expect(back?.data.map(({ id }) => id)).toEqual([ids[5], ids[4], ids[3]]);
    expect(back).toMatchObject({ has_more: true, next_cursor: ids[5] });
    expect((await list({ limit: 3, before: ids[5] }))?.data.map(({ id }) => id)).toEqual([ids[6]]);
    await expect(list({ limit: 3, after: newId('evt') })).rejects.toMatchObject({
      code: 'validation_error',
      details: [{ field: 'after', code: 'invalid_cursor' }],
    });
  });

  it('filters by state, kind and time, together with paging', async () => {
    const { made, webhook, ids } = await filled(6);
    await pretend(webhook.id, [ids[1], ids[4]], `status = 'failed', due_at = NULL`);
    await pretend(webhook.id, [ids[2], ids[4], ids[5]], `event_type = 'email.sent'`);
    const idsOf = async (filter: object, page = {}) =>
      (
        await made.log.list(wholeAccount(stage.accountId), webhook.id, { filter, page: { limit: 10, ...page } })
      )?.data.map(({ id }) => id);
    expect(await idsOf({ status: 'failed' })).toEqual([ids[4], ids[1]]);
    expect(await idsOf({ status: 'delivered' })).toEqual([]);
    expect(await idsOf({ types: ['email.sent'] })).toEqual([ids[5], ids[4], ids[2]]);
    expect(await idsOf({ status: 'pending', types: ['email.sent'] })).toEqual([ids[5], ids[2]]);
    expect(await idsOf({ types: ['email.sent'] }, { limit: 1, after: ids[4] })).toEqual([ids[2]]);
    expect(await idsOf({ types: ['email.sent'] }, { limit: 1, before: ids[2] })).toEqual([ids[4]]);

    const shown = await made.log.find(wholeAccount(stage.accountId), webhook.id, ids[0]);
    const begin = new Date(shown?.created_at ?? '');
    expect(await idsOf({ createdAfter: begin })).toHaveLength(6);
    expect(await idsOf({ createdBefore: begin })).toEqual([]);
    expect(await idsOf({ createdAfter: new Date(Date.now() + 60_000) })).toEqual([]);
    expect(await idsOf({ status: 'failed', createdBefore: new Date(Date.now() + 60_000) })).toHaveLength(2);
  });

  it('shows nothing of another account', async () => {
    const { made, webhook, ids } = await filled(1);
    const stranger = newId('acc');
    expect(await made.log.list(wholeAccount(stranger), webhook.id, everything)).toBeNull();
    expect(await made.log.find(wholeAccount(stranger), webhook.id, ids[0])).toBeNull();
    expect(
      await made.log.attempts(wholeAccount(stranger), { webhookId: webhook.id, eventId: ids[0] }, { limit: 1 }),
    ).toBeNull();
    expect(await made.replay.replayEvent(wholeAccount(stranger), webhook.id, ids[0])).toBeNull();
    expect(await made.replay.sendTest(wholeAccount(stranger), webhook.id)).toBeNull();
    const own = await made.subscriptions.create(wholeAccount(stranger), {
      url: stage.receiver.url('/own'),
      events: ['*'],
    });
    expect(await made.log.find(wholeAccount(stranger), own.id, ids[0])).toBeNull();
    await expect(
      made.log.list(wholeAccount(stranger), own.id, { page: { limit: 1, after: ids[0] } }),
    ).rejects.toMatchObject({
      details: [{ code: 'invalid_cursor' }],
    });
  });

  it('ends after thirty days, together with its attempts', async () => {
    const { made, webhook, ids } = await filled(3);
    await pretend(webhook.id, ids.slice(0, 2), `created_at = now() - interval '30 days 1 minute'`);
    await stage.db.database.query(
      `INSERT INTO webhook_attempts (id, delivery_id, webhook_id, number, latency_ms, started_at)
       SELECT 'atm_' || substr(id, 5), id, webhook_id, 1, 1, now() FROM webhook_deliveries WHERE webhook_id = $1`,
      [webhook.id],
    );
    expect(await made.retention.prune()).toBe(2);
    expect(
      (await made.log.list(wholeAccount(stage.accountId), webhook.id, everything))?.data.map(({ id }) => id),
    ).toEqual([ids[2]]);
    const { rows } = await stage.db.database.query('SELECT delivery_id FROM webhook_attempts');
    expect(rows).toHaveLength(1);
    expect(await made.retention.prune()).toBe(0);
  });
});

describe('WebhookReplay', () => {
  it('sends a test to one endpoint only, whatever it listens to, and to the log', async () => {
    const made = await stage.running();
    const tested = await stage.subscribe(made, '/tested', ['email.bounced']);
    await stage.subscribe(made, '/other');
    const shown = await made.replay.sendTest(wholeAccount(stage.accountId), tested.id);
    expect(shown).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      object: 'webhook_event',
      type: 'webhook.test',
      status: 'pending',
      attempts: 0,
    });
    const [call] = await stage.receiver.waitFor('/tested', 1);
    expect(call.headers).toMatchObject({ 'webhook-id': shown?.id, 'x-service-sequence': '1' });
    expect(JSON.parse(call.body)).toMatchObject({ type: 'webhook.test', data: { webhook_id: tested.id } });
    const { rows } = await stage.db.database.query<{ event_id: string; key: string; test: boolean }>(
      `SELECT event_id, key, test FROM ${OUTBOX_EVENTS} WHERE account_id = $1`,
      [stage.accountId],
    );
    expect(rows).toEqual([{ event_id: shown?.id, key: tested.id, test: true }]);

    // The log brings it back; nobody gets it a second time.
    const logged = { ...queuedEvents(stage.accountId)[0], event: { ...JSON.parse(call.body), id: shown?.id } };
    logged.event.account_id = stage.accountId;
    await made.fanOut.handle({ events: [logged] });
    await stage.finished(tested.id);
    expect(stage.receiver.callsTo('/other')).toEqual([]);
    expect(stage.receiver.callsTo('/tested')).toHaveLength(1);
  });

  it('sends one event again with the same id and body and the whole ladder before it, attempts go on counting', async () => {
    const made = await stage.running({ WEBHOOK_RETRY_SCHEDULE: '20ms' });
    const webhook = await stage.subscribe(made, '/again');
    stage.receiver.script('/again', 500, 500, 500, 200);
    const [logged] = queuedEvents(stage.accountId);
    await made.fanOut.handle({ events: [logged] });
    expect(await stage.finished(webhook.id)).toMatchObject([{ status: 'failed', attempts: 2 }]);
    const queued = await made.replay.replayEvent(wholeAccount(stage.accountId), webhook.id, logged.event.id);
    expect(queued).toMatchObject({ id: logged.event.id, status: 'pending', attempts: 2 });
    await stage.receiver.waitFor('/again', 4);
    expect(await stage.finished(webhook.id)).toMatchObject([{ status: 'delivered', attempts: 4 }]);
    const calls = stage.receiver.callsTo('/again');
    expect(calls.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3', '4']);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
    expect(new Set(calls.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([logged.event.id]));
    expect(await made.replay.replayEvent(wholeAccount(stage.accountId), webhook.id, newId('evt'))).toBeNull();
  });

  it('leaves an event alone that is being sent at this moment', async () => {
    const made = await stage.running();
    const webhook = await stage.subscribe(made, '/slow');
    stage.receiver.script('/slow', { status: 200, delayMs: 300 });
    const [logged] = queuedEvents(stage.accountId);
    await made.fanOut.handle({ events: [logged] });
    await stage.receiver.waitFor('/slow', 1);
    expect(await made.replay.replayEvent(wholeAccount(stage.accountId), webhook.id, logged.event.id)).toMatchObject({
      status: 'pending',
    });
    expect(await stage.finished(webhook.id)).toMatchObject([{ status: 'delivered', attempts: 1 }]);
    expect(stage.receiver.callsTo('/slow')).toHaveLength(1);
  });

  it('refuses while the endpoint is disabled', async () => {
    const { made, webhook, ids } = await filled(1);
    await made.subscriptions.update(wholeAccount(stage.accountId), webhook.id, { changes: { status: 'disabled' } });
    const refused = { code: 'conflict', details: [{ code: 'webhook_disabled' }] };
    await expect(made.replay.sendTest(wholeAccount(stage.accountId), webhook.id)).rejects.toMatchObject(refused);
    await expect(made.replay.replayEvent(wholeAccount(stage.accountId), webhook.id, ids[0])).rejects.toMatchObject(
      refused,
    );
  });
});
