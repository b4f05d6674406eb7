import { webhookDeliveryRecords } from '#libs/webhooks';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { queuedEvents } from '../../support/webhooks/webhooks-harness.js';
import { WebhooksFixture } from '../../support/webhooks/webhooks-fixture.js';

let fixture: WebhooksFixture;

beforeAll(async () => {
  fixture = await WebhooksFixture.start();
});
afterEach(() => fixture.clear());
afterAll(() => fixture.close());

it('are one per request, with the id of the delivery', async () => {
  const made = await fixture.running({ WEBHOOK_RETRY_SCHEDULE: '50ms,50ms' });
  const webhook = await fixture.subscribe(made, '/records');
  fixture.receiver.script('/records', 'reset', 500, 200);
  const [logged] = queuedEvents(fixture.accountId);
  await made.fanOut.handle({ events: [logged] });
  const [delivery] = await fixture.finished(webhook.id);
  const { database } = fixture.db;
  const { rows } = await database.query<{ id: string }>(
    'SELECT id FROM webhook_attempts WHERE tx IS NOT NULL ORDER BY number',
  );
  const ids = rows.map(({ id }) => id);
  const records = await webhookDeliveryRecords(database).load([...ids, 'atm_unknown']);
  expect(records.map(({ rowId, id, key }) => [rowId, id, key])).toEqual(ids.map((id) => [id, delivery.id, webhook.id]));
  const common = {
    id: delivery.id,
    account_id: fixture.accountId,
    webhook_id: webhook.id,
    event_id: logged.event.id,
    event_type: logged.event.type,
    latency_ms: expect.any(Number),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    schema_version: 1,
  };
  expect(records.map(({ value }) => JSON.parse(value) as object)).toEqual([
    { ...common, attempt: 1, status: null, error: expect.any(String) },
    { ...common, attempt: 2, status: 500, error: 'status_not_2xx' },
    { ...common, attempt: 3, status: 200, error: null },
  ]);
});
