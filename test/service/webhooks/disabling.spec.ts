import { wholeAccount } from '#libs/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { queuedEvents } from '../../support/webhooks/webhooks-harness.js';
import { WebhooksFixture } from '../../support/webhooks/webhooks-fixture.js';
import { OUTBOX_EVENTS } from '../../support/persistence/test-database.js';

let stage: WebhooksFixture;

beforeAll(async () => {
  stage = await WebhooksFixture.start();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const shown = async (made: ReturnType<WebhooksFixture['newProcess']>, id: string) =>
  (await made.subscriptions.find(wholeAccount(stage.accountId), id)) ?? expect.fail('no such webhook');

const aged = (id: string, age: string) =>
  stage.db.database.query(`UPDATE webhooks SET failing_since = now() - $2::interval WHERE id = $1`, [id, age]);

async function disabledEvents() {
  const { rows } = await stage.db.database.query<{ key: string; sequence: number; data: Record<string, string> }>(
    `SELECT key, sequence, data FROM ${OUTBOX_EVENTS} WHERE account_id = $1 AND type = 'webhook.disabled' ORDER BY id`,
    [stage.accountId],
  );
  return rows;
}

describe('an endpoint that fails', () => {
  it('is marked from its first failure on until its next success', async () => {
    const made = await stage.running({ WEBHOOK_RETRY_SCHEDULE: '400ms,400ms' });
    const webhook = await stage.subscribe(made, '/recovers');
    stage.receiver.script('/recovers', 500, 500, 200);
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    const failingSince = async () => (await shown(made, webhook.id)).failing_since;
    await expect.poll(failingSince, { timeout: 15_000 }).not.toBeNull();
    const since = await failingSince();
    await stage.receiver.waitFor('/recovers', 2);
    expect(await failingSince()).toBe(since);
    await stage.finished(webhook.id);
    await expect.poll(failingSince, { timeout: 15_000 }).toBeNull();
  });

  it('is disabled after three days without a success, and the others hear of it', async () => {
    const made = await stage.running({ WEBHOOK_RETRY_SCHEDULE: '1h' });
    const webhook = await stage.subscribe(made, '/dead');
    await stage.subscribe(made, '/listener', ['webhook.disabled']);
    stage.receiver.script('/dead', 503);
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    await expect.poll(async () => (await shown(made, webhook.id)).failing_since, { timeout: 15_000 }).not.toBeNull();

    await aged(webhook.id, '2 days 23 hours');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    await stage.receiver.waitFor('/dead', 2);
    await expect.poll(async () => (await stage.deliveries(webhook.id))[1].attempts, { timeout: 15_000 }).toBe(1);
    expect((await shown(made, webhook.id)).status).toBe('enabled');

    await aged(webhook.id, '3 days 1 second');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    await expect
      .poll(async () => shown(made, webhook.id), { timeout: 15_000 })
      .toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
    const rows = await stage.finished(webhook.id);
    expect(rows.map((row) => row.last_error)).toEqual(Array.from({ length: 3 }, () => 'endpoint_disabled'));

    const [{ key, sequence, data }, ...more] = await disabledEvents();
    expect(more).toEqual([]);
    expect([key, sequence, data]).toMatchObject([
      webhook.id,
      1,
      { webhook_id: webhook.id, url: webhook.url, reason: 'failing', disabled_at: expect.stringMatching(/Z$/) },
    ]);
    const [template] = queuedEvents(stage.accountId);
    const event = { ...template.event, type: 'webhook.disabled', data };
    await made.fanOut.handle({ events: [{ ...template, key, event } as never] });
    const [call] = await stage.receiver.waitFor('/listener', 1);
    expect(JSON.parse(call.body)).toMatchObject({ type: 'webhook.disabled', data: { reason: 'failing' } });
    expect(stage.receiver.callsTo('/dead')).toHaveLength(3);
  });

  it('is not disabled by an old mark when the call succeeds', async () => {
    const made = await stage.running();
    const webhook = await stage.subscribe(made, '/back');
    await aged(webhook.id, '4 days');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    await stage.finished(webhook.id);
    await expect
      .poll(async () => shown(made, webhook.id), { timeout: 15_000 })
      .toMatchObject({ status: 'enabled', failing_since: null });
    expect(await disabledEvents()).toEqual([]);
  });

  it('is disabled by a 410 at once, and works again when it is enabled', async () => {
    const made = await stage.running();
    const webhook = await stage.subscribe(made, '/gone');
    stage.receiver.script('/gone', 410, 200);
    const [first, second] = queuedEvents(stage.accountId, 2);
    await made.fanOut.handle({ events: [first] });
    await expect
      .poll(async () => shown(made, webhook.id), { timeout: 15_000 })
      .toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    expect((await disabledEvents()).map(({ data }) => data['reason'])).toEqual(['gone']);
    expect(
      await made.subscriptions.update(wholeAccount(stage.accountId), webhook.id, { changes: { status: 'enabled' } }),
    ).toMatchObject({
      status: 'enabled',
      disabled_reason: null,
      failing_since: null,
    });
    await made.fanOut.handle({ events: [second] });
    await made.replay.replayEvent(wholeAccount(stage.accountId), webhook.id, first.event.id);
    expect((await stage.finished(webhook.id)).map((row) => row.status)).toEqual(['delivered', 'delivered']);
  });

  it('tells once when its owner disables it, twice or after somebody else did', async () => {
    const made = stage.newProcess();
    const webhook = await stage.subscribe(made, '/manual');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 2) });
    const disable = () =>
      made.subscriptions.update(wholeAccount(stage.accountId), webhook.id, { changes: { status: 'disabled' } });
    expect(await disable()).toMatchObject({ status: 'disabled', disabled_reason: 'manual' });
    await Promise.all([disable(), disable(), made.queue.disable(webhook.id, 'gone')]);
    expect((await disabledEvents()).map(({ sequence, data }) => [sequence, data['reason']])).toEqual([[1, 'manual']]);
    expect((await stage.finished(webhook.id)).map((row) => row.last_error)).toEqual(
      Array.from({ length: 2 }, () => 'endpoint_disabled'),
    );
  });
});
