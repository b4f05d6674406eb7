import { newId, wholeAccount } from '#libs/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { queuedEvents } from '../../support/webhooks/webhooks-harness.js';
import { WebhooksFixture } from '../../support/webhooks/webhooks-fixture.js';

let stage: WebhooksFixture;

beforeAll(async () => {
  stage = await WebhooksFixture.start();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

describe('WebhookSubscriptions', () => {
  it('shows the secret on create only, and keeps it sealed', async () => {
    const { subscriptions } = stage.newProcess();
    const { secret, ...view } = await subscriptions.create(wholeAccount(stage.accountId), {
      url: 'https://example.com/hook',
      events: ['email.sent', 'email.sent', 'email.failed'],
    });
    expect(view).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-f]{32}$/),
      object: 'webhook',
      url: 'https://example.com/hook',
      events: ['email.sent', 'email.failed'],
      domain_ids: null,
      include_bots: false,
      status: 'enabled',
      disabled_reason: null,
      failing_since: null,
      previous_secret_expires_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: view.created_at,
    });
    expect(secret).toMatch(/^whsec_/);
    expect(await subscriptions.list(wholeAccount(stage.accountId))).toEqual([view]);
    const { rows } = await stage.db.database.query<{ secret_sealed: Buffer }>('SELECT secret_sealed FROM webhooks');
    expect(rows[0].secret_sealed.includes(Buffer.from(secret.slice(6)))).toBe(false);
  });

  it('tells all problems of all fields at once', async () => {
    const { subscriptions } = stage.newProcess({ ALLOW_PRIVATE_WEBHOOKS: 'false' });
    const events = ['email.sent', 'nothing', 7];
    const domain_ids = ['dom_x', newId('dom')];
    await expect(
      subscriptions.create(wholeAccount(stage.accountId), { url: 'https://127.1/', events, domain_ids } as never, {
        payloadFormat: 'native',
        urlField: 'endpoint',
        ownDomains: new Set(),
      }),
    ).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('endpoint must be'),
      details: [
        { field: 'endpoint', code: 'private_address', message: expect.stringMatching(/^must be/) },
        { field: 'events[1]', code: 'unknown_event', message: expect.stringContaining('email.delivered') },
        { field: 'events[2]', code: 'unknown_event' },
        { field: 'domain_ids[0]', code: 'invalid_id' },
        { field: 'domain_ids[1]', code: 'unknown_domain' },
      ],
    });
    await expect(subscriptions.create(wholeAccount(stage.accountId), { events: [] })).rejects.toMatchObject({
      code: 'missing_required_field',
      details: [
        { field: 'url', code: 'required' },
        { field: 'events', code: 'too_few' },
      ],
    });
    await expect(
      subscriptions.update(wholeAccount(stage.accountId), newId('wh'), {
        changes: { url: 'http://example.com/', status: 'on', domain_ids: [] } as never,
      }),
    ).rejects.toMatchObject({
      details: [
        { field: 'url', code: 'invalid_scheme' },
        { field: 'domain_ids', code: 'too_few' },
        { field: 'status', code: 'invalid_value' },
      ],
    });
  });

  it('takes kinds that only Resend has from its clients, and from nobody else', async () => {
    const { subscriptions } = stage.newProcess();
    const fields = { url: stage.receiver.url('/r'), events: ['email.delivered', 'contact.created'] };
    await expect(subscriptions.create(wholeAccount(stage.accountId), fields)).rejects.toMatchObject({
      details: [{ field: 'events[1]', code: 'unknown_event' }],
    });
    expect(
      await subscriptions.create(wholeAccount(stage.accountId), fields, { payloadFormat: 'resend' }),
    ).toMatchObject({
      events: fields.events,
    });
  });

  it('changes what is given and leaves the rest', async () => {
    const made = stage.newProcess();
    const { secret: _, ...before } = await stage.subscribe(made, '/before');
    const update = (changes: object) =>
      made.subscriptions.update(wholeAccount(stage.accountId), before.id, { changes });
    const domain = newId('dom');
    expect(await update({})).toEqual({ ...before, updated_at: expect.anything() });
    expect(await update({ url: stage.receiver.url('/after') })).toMatchObject({ url: stage.receiver.url('/after') });
    expect(await update({ events: ['email.sent', 'email.sent'] })).toMatchObject({ events: ['email.sent'] });
    expect(await update({ domain_ids: [domain] })).toMatchObject({ domain_ids: [domain], events: ['email.sent'] });
    expect(await update({ domain_ids: null })).toMatchObject({ domain_ids: null });
    expect(await update({ status: 'enabled' })).toMatchObject({ status: 'enabled', events: ['email.sent'] });
    expect(
      await made.subscriptions.update(wholeAccount(newId('acc')), before.id, { changes: { status: 'disabled' } }),
    ).toBeNull();
    expect(await made.subscriptions.find(wholeAccount(newId('acc')), before.id)).toBeNull();
    expect(await made.subscriptions.find(wholeAccount(stage.accountId), before.id)).toMatchObject({
      status: 'enabled',
    });
  });

  it('pages for those who want pages', async () => {
    const made = stage.newProcess();
    const ids: string[] = [];
    for (const path of ['/1', '/2', '/3']) ids.push((await stage.subscribe(made, path)).id);
    const page = async (request: { limit: number; after?: string; before?: string }) => {
      const { data, has_more } = await made.subscriptions.page(wholeAccount(stage.accountId), request);
      return [data.map(({ id }) => id), has_more];
    };
    expect(await page({ limit: 2 })).toEqual([[ids[2], ids[1]], true]);
    expect(await page({ limit: 2, after: ids[1] })).toEqual([[ids[0]], false]);
    expect(await page({ limit: 1, before: ids[0] })).toEqual([[ids[1]], true]);
  });

  it('makes exactly ten for an account, also when many are asked for at once', async () => {
    const made = stage.newProcess();
    const asked = await Promise.allSettled(Array.from({ length: 14 }, (_, i) => stage.subscribe(made, `/limit/${i}`)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    for (const refused of asked.filter((result) => result.status === 'rejected'))
      expect(refused.reason).toMatchObject({ code: 'conflict', details: [{ code: 'limit_reached' }] });
    await expect(
      made.subscriptions.create(wholeAccount(newId('acc')), { url: stage.receiver.url('/'), events: ['*'] }),
    ).resolves.toBeTruthy();
  });

  it('lists the newest first, and removes for its own account only', async () => {
    const made = stage.newProcess();
    const [first, second] = [await stage.subscribe(made, '/a'), await stage.subscribe(made, '/b')];
    expect((await made.subscriptions.list(wholeAccount(stage.accountId))).map(({ id }) => id)).toEqual([
      second.id,
      first.id,
    ]);
    expect(await made.subscriptions.remove(wholeAccount(newId('acc')), first.id)).toBe(false);
    expect(await made.subscriptions.remove(wholeAccount(stage.accountId), first.id)).toBe(true);
    expect(await made.subscriptions.remove(wholeAccount(stage.accountId), first.id)).toBe(false);
    expect((await made.subscriptions.list(wholeAccount(stage.accountId))).map(({ id }) => id)).toEqual([second.id]);
  });

  it('takes what waits for an endpoint away with it', async () => {
    const made = stage.newProcess();
    const webhook = await stage.subscribe(made, '/gone');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 3) });
    expect(await stage.deliveries(webhook.id)).toHaveLength(3);
    await made.subscriptions.remove(wholeAccount(stage.accountId), webhook.id);
    expect(await stage.deliveries(webhook.id)).toEqual([]);
  });
});
