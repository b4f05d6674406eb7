import { newId } from '#libs/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { queuedEvents } from '../support/webhooks-harness.js';
import { WebhooksStage } from '../support/webhooks-stage.js';

let stage: WebhooksStage;

beforeAll(async () => {
  stage = await WebhooksStage.start();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

describe('WebhookSubscriptions', () => {
  it('shows the secret on create only, and keeps it sealed', async () => {
    const { subscriptions } = stage.newProcess();
    const { secret, ...view } = await subscriptions.create(stage.accountId, {
      url: 'https://example.com/hook',
      events: ['email.sent', 'email.sent', 'email.failed'],
    });
    expect(view).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-f]{32}$/),
      object: 'webhook',
      url: 'https://example.com/hook',
      events: ['email.sent', 'email.failed'],
      domain_ids: null,
      status: 'enabled',
      disabled_reason: null,
      failing_since: null,
      previous_secret_expires_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: view.created_at,
    });
    expect(secret).toMatch(/^whsec_/);
    expect(await subscriptions.list(stage.accountId)).toEqual([view]);
    const { rows } = await stage.db.database.query<{ secret_sealed: Buffer }>('SELECT secret_sealed FROM webhooks');
    expect(rows[0].secret_sealed.includes(Buffer.from(secret.slice(6)))).toBe(false);
  });

  it('refuses bad fields with their paths', async () => {
    const { subscriptions } = stage.newProcess({ ALLOW_PRIVATE_WEBHOOKS: 'false' });
    await expect(
      subscriptions.create(stage.accountId, { url: 'https://127.1/', events: ['email.sent', 'nothing'] }),
    ).rejects.toMatchObject({
      code: 'validation_error',
      details: [
        { field: 'url', code: 'private_address' },
        { field: 'events[1]', code: 'unknown_event' },
      ],
    });
    await expect(subscriptions.create(stage.accountId, { events: ['*'] } as never)).rejects.toMatchObject({
      code: 'missing_required_field',
      details: [{ field: 'url', code: 'required' }],
    });
  });

  it('makes exactly ten for an account, also when many are asked for at once', async () => {
    const made = stage.newProcess();
    const asked = await Promise.allSettled(Array.from({ length: 14 }, (_, i) => stage.subscribe(made, `/limit/${i}`)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    for (const refused of asked.filter((result) => result.status === 'rejected'))
      expect(refused.reason).toMatchObject({ code: 'conflict', details: [{ code: 'limit_reached' }] });
    await expect(
      made.subscriptions.create(newId('acc'), { url: stage.receiver.url('/'), events: ['*'] }),
    ).resolves.toBeTruthy();
  });

  it('lists the newest first, and removes for its own account only', async () => {
    const made = stage.newProcess();
    const [first, second] = [await stage.subscribe(made, '/a'), await stage.subscribe(made, '/b')];
    expect((await made.subscriptions.list(stage.accountId)).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await made.subscriptions.remove(newId('acc'), first.id)).toBe(false);
    expect(await made.subscriptions.remove(stage.accountId, first.id)).toBe(true);
    expect(await made.subscriptions.remove(stage.accountId, first.id)).toBe(false);
    expect((await made.subscriptions.list(stage.accountId)).map(({ id }) => id)).toEqual([second.id]);
  });

  it('takes what waits for an endpoint away with it', async () => {
    const made = stage.newProcess();
    const webhook = await stage.subscribe(made, '/gone');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 3) });
    expect(await stage.deliveries(webhook.id)).toHaveLength(3);
    await made.subscriptions.remove(stage.accountId, webhook.id);
    expect(await stage.deliveries(webhook.id)).toEqual([]);
  });
});

describe('WebhookFanOut', () => {
  it('makes one delivery per event and endpoint that wants it', async () => {
    const made = stage.newProcess();
    const [all, some, none] = [
      await stage.subscribe(made, '/all'),
      await stage.subscribe(made, '/some', ['email.queued', 'email.sent']),
      await stage.subscribe(made, '/none', ['email.sent']),
    ];
    const stranger = await made.subscriptions.create(newId('acc'), { url: stage.receiver.url('/x'), events: ['*'] });
    const events = queuedEvents(stage.accountId, 2);
    await made.fanOut.handle({ events });
    expect((await stage.deliveries(all.id)).map((row) => row.event_id)).toEqual(events.map(({ event }) => event.id));
    expect(await stage.deliveries(some.id)).toHaveLength(2);
    expect(await stage.deliveries(none.id)).toEqual([]);
    expect(await stage.deliveries(stranger.id)).toEqual([]);
  });

  it('adds nothing when a batch, or a part of it, is handed over again', async () => {
    const made = stage.newProcess();
    const webhook = await stage.subscribe(made, '/twice');
    const events = queuedEvents(stage.accountId, 5);
    await made.fanOut.handle({ events });
    await made.fanOut.handle({ events });
    await Promise.all([
      made.fanOut.handle({ events: events.slice(2) }),
      made.fanOut.handle({ events: [...events, ...events] }),
    ]);
    expect(await stage.deliveries(webhook.id)).toHaveLength(5);
  });

  it('gives nothing to an endpoint that was removed or disabled elsewhere', async () => {
    const here = stage.newProcess();
    const webhook = await stage.subscribe(here, '/removed');
    const gone = await stage.subscribe(here, '/disabled');
    await stage.newProcess().subscriptions.remove(stage.accountId, webhook.id);
    await stage.newProcess().ledger.disable(gone.id, 'gone');
    await here.fanOut.handle({ events: queuedEvents(stage.accountId) });
    expect(await stage.deliveries(webhook.id)).toEqual([]);
    expect(await stage.deliveries(gone.id)).toEqual([]);
  });
});
