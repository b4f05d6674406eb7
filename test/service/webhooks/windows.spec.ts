import { newId } from '#libs/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { queuedEvents, type WebhooksProcess } from '../../support/webhooks/webhooks-harness.js';
import { WebhooksFixture } from '../../support/webhooks/webhooks-fixture.js';

let stage: WebhooksFixture;

beforeAll(async () => {
  stage = await WebhooksFixture.start();
});
afterEach(async () => {
  await stage.clear();
  await stage.db.database.query('DELETE FROM webhook_windows');
});
afterAll(() => stage.close());

async function sizeOf(id: string): Promise<number | undefined> {
  const { rows } = await stage.db.database.query<{ size: number }>(
    'SELECT size FROM webhook_windows WHERE webhook_id = $1',
    [id],
  );
  return rows.at(0)?.size;
}

const setWindow = (id: string, size: number) =>
  stage.db.database.query('INSERT INTO webhook_windows (webhook_id, size) VALUES ($1, $2)', [id, size]);

const metric = (made: WebhooksProcess, name: string) => made.metrics.registry.getSingleMetricAsString(name);

describe('the window of an endpoint', () => {
  it('grows with prompt answers up to a hundred requests in flight', async () => {
    const made = await stage.running({ WEBHOOK_TIMEOUT: '15s' });
    const webhook = await stage.subscribe(made, '/prompt');
    stage.receiver.script('/prompt', { status: 200, delayMs: 30 });
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 900) });
    await stage.finished(webhook.id, 40_000);
    await expect.poll(() => sizeOf(webhook.id), { timeout: 10_000 }).toBe(100);

    stage.receiver.script('/prompt', 'silent');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 200) });
    await stage.receiver.waitFor('/prompt', 1_000);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(stage.receiver.callsTo('/prompt')).toHaveLength(1_000);
    expect(await metric(made, 'postloft_webhook_requests_in_flight')).toMatch(/ 100$/m);
    expect(await metric(made, 'postloft_webhook_oldest_due_seconds')).toMatch(/ 0\.\d+$/m);
  });

  it('is one for all dispatchers', async () => {
    const [one, two] = [await stage.running({ WEBHOOK_TIMEOUT: '15s' }), stage.newProcess({ WEBHOOK_TIMEOUT: '15s' })];
    const webhook = await stage.subscribe(one, '/shared');
    await setWindow(webhook.id, 30);
    stage.receiver.script('/shared', 'silent');
    await one.fanOut.handle({ events: queuedEvents(stage.accountId, 100) });
    await stage.receiver.waitFor('/shared', 30);
    await two.dispatcher.start();
    await two.fanOut.handle({ events: queuedEvents(stage.accountId, 10) });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(stage.receiver.callsTo('/shared')).toHaveLength(30);
  });

  it('is halved once for requests that time out together, and not below ten', async () => {
    const made = await stage.running({ WEBHOOK_TIMEOUT: '300ms', WEBHOOK_RETRY_SCHEDULE: '1h' });
    const [large, small] = [await stage.subscribe(made, '/large'), await stage.subscribe(made, '/small')];
    await setWindow(large.id, 60);
    await setWindow(small.id, 12);
    stage.receiver.script('/large', 'silent');
    stage.receiver.script('/small', 'silent');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 60) });
    await expect.poll(() => sizeOf(large.id), { timeout: 10_000 }).toBe(30);
    await expect.poll(() => sizeOf(small.id), { timeout: 10_000 }).toBe(10);
    await expect
      .poll(async () => (await stage.deliveries(large.id)).every(({ attempts }) => attempts === 1), { timeout: 10_000 })
      .toBe(true);
    expect(await sizeOf(large.id)).toBe(30);
  });

  it('is closed while the endpoint asks for a pause', async () => {
    const made = await stage.running();
    const webhook = await stage.subscribe(made, '/pause');
    stage.receiver.script('/pause', { status: 429, headers: { 'retry-after': '1' } }, 200);
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    await expect.poll(() => sizeOf(webhook.id), { timeout: 10_000 }).toBe(10);
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 3) });
    await stage.finished(webhook.id);
    const [first, ...others] = stage.receiver.callsTo('/pause');
    expect(others).toHaveLength(4);
    for (const call of others) expect(call.at - first.at).toBeGreaterThan(950);
  });

  it('leaves slots to others when endpoints with large windows hang', async () => {
    const made = await stage.running({ WEBHOOK_TIMEOUT: '15s' });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      const { id } = await stage.subscribe(made, `/hang/${name}`);
      await setWindow(id, 100);
      stage.receiver.script(`/hang/${name}`, 'silent');
    }
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 150) });
    await stage.receiver.waitFor('/hang/a', 40);
    stage.accountId = newId('acc');
    const healthy = await stage.subscribe(made, '/healthy');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 300) });
    expect(await stage.finished(healthy.id, 14_000)).toHaveLength(300);
    expect(stage.receiver.callsTo('/hang/a').length).toBeLessThanOrEqual(100);
  });

  it('is forgotten with another URL', async () => {
    const made = stage.newProcess();
    const webhook = await stage.subscribe(made, '/old');
    await setWindow(webhook.id, 50);
    const visibility = { accountId: stage.accountId, domainIds: null, mode: 'live' } as const;
    await made.subscriptions.update(visibility, webhook.id, { changes: { events: ['email.sent'] } });
    expect(await sizeOf(webhook.id)).toBe(50);
    await made.subscriptions.update(visibility, webhook.id, { changes: { url: stage.receiver.url('/new') } });
    expect(await sizeOf(webhook.id)).toBeUndefined();
  });
});
