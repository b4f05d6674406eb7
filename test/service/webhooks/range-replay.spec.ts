import { newId, wholeAccount } from '#libs/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { queuedEvents, type WebhooksProcess } from '../../support/webhooks/webhooks-harness.js';
import { WebhooksFixture } from '../../support/webhooks/webhooks-fixture.js';
import type { ReplayRange } from '../../../libs/webhooks/src/history/range-replay.js';

let stage: WebhooksFixture;

beforeAll(async () => {
  stage = await WebhooksFixture.start();
});
afterEach(async () => {
  await stage.clear();
  await stage.db.database.query('DELETE FROM webhook_replays');
});
afterAll(() => stage.close());

const hour = { from: new Date(Date.now() - 3600_000) };
const me = () => wholeAccount(stage.accountId);

/** An endpoint with `count` delivered events, the first of which are oldest. */
async function delivered(count: number) {
  const made = stage.newProcess({ WEBHOOK_TIMEOUT: '15s' });
  const webhook = await stage.subscribe(made, '/range');
  const events = queuedEvents(stage.accountId, count);
  await made.fanOut.handle({ events });
  await settle(webhook.id);
  return { made, webhook, ids: events.map(({ event }) => event.id) };
}

/** What dispatchers do to due deliveries, without one. */
const settle = (webhookId: string) =>
  stage.db.database.query(
    `UPDATE webhook_deliveries SET status = 'delivered', due_at = NULL, is_due = NULL WHERE webhook_id = $1`,
    [webhookId],
  );

const pretend = (webhookId: string, eventIds: string[], set: string) =>
  stage.db.database.query(`UPDATE webhook_deliveries SET ${set} WHERE webhook_id = $1 AND event_id = ANY($2)`, [
    webhookId,
    eventIds,
  ]);

const due = async (webhookId: string) =>
  (await stage.deliveries(webhookId)).filter((row) => row.due_at !== null).map((row) => row.event_id);

async function start(made: WebhooksProcess, webhookId: string, range: ReplayRange = hour) {
  const started = await made.replays.start(me(), webhookId, { range, idempotency: null });
  return started?.replay ?? expect.fail('no such webhook');
}

describe('a replay of a time range', () => {
  it('queues the events of the range by type and status, and shows its progress', async () => {
    const { made, webhook, ids } = await delivered(6);
    await pretend(webhook.id, ids.slice(3), `status = 'failed'`);
    await pretend(webhook.id, [ids[5]], `event_type = 'email.sent'`);
    const started = await start(made, webhook.id, { ...hour, status: 'failed', types: ['email.queued'] });
    expect(started).toMatchObject({
      ...{ object: 'webhook_replay', webhook_id: webhook.id, status: 'running', queued: 0, skipped: 0 },
      ...{ reached_at: null, next_cursor: null, filter: { types: ['email.queued'], status: 'failed' } },
    });
    expect(await made.replays.step()).toBe('waiting');
    expect(await due(webhook.id)).toEqual([ids[3], ids[4]]);
    expect(await made.replays.find(me(), webhook.id, started.id)).toMatchObject({
      ...{ id: started.id, status: 'completed', queued: 2, reached_at: expect.stringMatching(/Z$/), next_cursor: null },
    });
    expect(await made.replays.step()).toBe('idle');
  });

  it('goes in steps, and waits while many events are due', async () => {
    const { made, webhook, ids } = await delivered(1_200);
    const { id } = await start(made, webhook.id, { ...hour, types: ['*'] });
    const progress = async () => (await made.replays.find(me(), webhook.id, id)) ?? expect.fail('no replay');
    expect(await made.replays.step()).toBe('busy');
    expect(await progress()).toMatchObject({ status: 'running', queued: 500 });
    expect(await made.replays.step()).toBe('waiting');
    expect(await progress()).toMatchObject({ queued: 500 });
    await settle(webhook.id);
    await made.replays.step();
    expect(await due(webhook.id)).toEqual(ids.slice(500, 1_000));
    await settle(webhook.id);
    // One event is being sent at this moment.
    await pretend(webhook.id, [ids[1_100]], `claimed_by = 'wrk'`);
    await made.replays.step();
    expect(await progress()).toMatchObject({ status: 'completed', queued: 1_199, skipped: 1 });
  });

  it('queues nothing twice when several programs take steps at once', async () => {
    const { made, webhook } = await delivered(900);
    const { id } = await start(made, webhook.id);
    const other = stage.newProcess();
    for (let i = 0; i < 4; i++) {
      await Promise.all([made, other, made, other].map(({ replays }) => replays.step()));
      await settle(webhook.id);
    }
    expect(await made.replays.find(me(), webhook.id, id)).toMatchObject({ status: 'completed', queued: 900 });
  });

  it('is the same for the same request while it runs, and for the same key', async () => {
    const { made, webhook } = await delivered(3);
    const first = await start(made, webhook.id);
    expect((await start(made, webhook.id)).id).toBe(first.id);
    expect((await start(made, webhook.id, { ...hour, types: ['*'] })).id).toBe(first.id);
    expect((await start(made, webhook.id, { ...hour, status: 'failed' })).id).not.toBe(first.id);
    await made.replays.step();
    expect((await start(made, webhook.id)).id).not.toBe(first.id);

    const keyed = (bodyHash: string) =>
      made.replays.start(me(), webhook.id, { range: hour, idempotency: { key: 'k', bodyHash: Buffer.from(bodyHash) } });
    const one = await keyed('a');
    await made.replays.step();
    expect(await keyed('a')).toMatchObject({ replay: { id: one?.replay.id, status: 'completed' }, replayed: true });
    await expect(keyed('b')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  it('stops when the endpoint is disabled, and another goes on where it stopped', async () => {
    const { made, webhook } = await delivered(700);
    const { id } = await start(made, webhook.id);
    await made.replays.step();
    await settle(webhook.id);
    await made.subscriptions.update(me(), webhook.id, { changes: { status: 'disabled' } });
    await made.replays.step();
    const stopped = await made.replays.find(me(), webhook.id, id);
    expect(stopped).toMatchObject({ status: 'stopped', queued: 500, next_cursor: expect.stringMatching(/^dlv_/) });
    await expect(start(made, webhook.id)).rejects.toMatchObject({ details: [{ code: 'webhook_disabled' }] });

    await made.subscriptions.update(me(), webhook.id, { changes: { status: 'enabled' } });
    const next = await start(made, webhook.id, { ...hour, after: stopped?.next_cursor ?? '' });
    await made.replays.step();
    expect(await made.replays.find(me(), webhook.id, next.id)).toMatchObject({ status: 'completed', queued: 200 });
  });

  it('can be canceled', async () => {
    const { made, webhook } = await delivered(700);
    const { id } = await start(made, webhook.id);
    await made.replays.step();
    expect(await made.replays.cancel(me(), webhook.id, id)).toMatchObject({ status: 'canceled', queued: 500 });
    await settle(webhook.id);
    expect(await made.replays.step()).toBe('idle');
    expect(await due(webhook.id)).toEqual([]);
    expect(await made.replays.cancel(me(), webhook.id, id)).toMatchObject({ status: 'canceled' });
  });

  it('is refused beside five others, and for a range without time', async () => {
    const { made, webhook } = await delivered(1);
    for (const minutes of [1, 2, 3, 4, 5])
      await start(made, webhook.id, { from: new Date(Date.now() - minutes * 60_000) });
    await expect(start(made, webhook.id)).rejects.toMatchObject({ details: [{ code: 'too_many_replays' }] });
    await expect(start(made, webhook.id, { from: new Date(2), to: new Date(1) })).rejects.toMatchObject({
      ...{ code: 'validation_error', details: [{ field: 'to', code: 'out_of_range' }] },
    });
  });

  it('is listed, and belongs to one account', async () => {
    const { made, webhook } = await delivered(1);
    const [first, second] = [
      await start(made, webhook.id),
      await start(made, webhook.id, { ...hour, status: 'failed' }),
    ];
    const page = await made.replays.list(me(), webhook.id, { limit: 1 });
    expect(page).toMatchObject({ has_more: true, data: [{ id: second.id }] });
    const rest = await made.replays.list(me(), webhook.id, { limit: 1, after: page?.next_cursor ?? '' });
    expect(rest).toMatchObject({ has_more: false, data: [{ id: first.id }] });
    const stranger = wholeAccount(newId('acc'));
    expect(await made.replays.list(stranger, webhook.id, { limit: 1 })).toBeNull();
    expect(await made.replays.find(stranger, webhook.id, first.id)).toBeNull();
    expect(await made.replays.cancel(stranger, webhook.id, first.id)).toBeNull();
    expect(await made.replays.start(stranger, webhook.id, { range: hour, idempotency: null })).toBeNull();
    await made.subscriptions.remove(me(), webhook.id);
    expect((await stage.db.database.query('SELECT FROM webhook_replays')).rows).toHaveLength(0);
  });

  it('is worked off by a running dispatcher, each event once with the same id', async () => {
    const { made, webhook, ids } = await delivered(1_300);
    stage.receiver.script('/range', 200);
    await made.dispatcher.start();
    const { id } = await start(made, webhook.id);
    const calls = await stage.receiver.waitFor('/range', 1_300, 40_000);
    await expect
      .poll(() => made.replays.find(me(), webhook.id, id), { timeout: 10_000 })
      .toMatchObject({ status: 'completed', queued: 1_300 });
    await stage.finished(webhook.id, 40_000);
    expect(calls).toHaveLength(1_300);
    expect(new Set(calls.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(ids));
    expect(await made.figures.of(webhook.id)).toMatchObject({
      ...{ lag_seconds: 0, pending: 0, in_flight: 0, paused_until: null },
      last_24_hours: { delivered: 1_300, failed_attempts: 0, failed: 0, success_rate: 1 },
    });
  });
});
