import { newId, wholeAccount } from '#libs/contracts';
import { Resend } from 'resend';
import { Webhook as Svix } from 'svix';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SubscriberLookup } from '../../../libs/webhooks/src/fan-out/subscriber-lookup.js';
import { WebhookEntity } from '../../../libs/webhooks/src/endpoints/webhook.entity.js';
import { queuedEvents } from '../../support/webhooks/webhooks-harness.js';
import { WebhooksFixture } from '../../support/webhooks/webhooks-fixture.js';

let stage: WebhooksFixture;

beforeAll(async () => {
  stage = await WebhooksFixture.start();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

describe('WebhookFanOut', () => {
  it('makes one delivery per event and endpoint that wants it', async () => {
    const made = stage.newProcess();
    const [all, some, none] = [
      await stage.subscribe(made, '/all'),
      await stage.subscribe(made, '/some', ['email.queued', 'email.sent']),
      await stage.subscribe(made, '/none', ['email.sent']),
    ];
    const stranger = await made.subscriptions.create(wholeAccount(newId('acc')), {
      url: stage.receiver.url('/x'),
      events: ['*'],
    });
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
    await stage.newProcess().subscriptions.remove(wholeAccount(stage.accountId), webhook.id);
    await stage.newProcess().queue.disable(gone.id, 'gone');
    await here.fanOut.handle({ events: queuedEvents(stage.accountId) });
    expect(await stage.deliveries(webhook.id)).toEqual([]);
    expect(await stage.deliveries(gone.id)).toEqual([]);
  });

  it('gives an endpoint with a filter the events of its domains only', async () => {
    const made = stage.newProcess();
    const [mine, other] = [newId('dom'), newId('dom')];
    const webhook = await made.subscriptions.create(wholeAccount(stage.accountId), {
      url: stage.receiver.url('/mine'),
      events: ['*'],
      domain_ids: [mine],
    });
    const [a, b, c] = queuedEvents(stage.accountId, 3);
    await made.fanOut.handle({ events: [{ ...a, domainId: mine }, { ...b, domainId: other }, c] });
    expect((await stage.deliveries(webhook.id)).map((row) => row.event_id)).toEqual([a.event.id]);
  });

  it('speaks to clients of Resend in their names, shapes and headers', async () => {
    const made = await stage.running();
    const webhook = await made.subscriptions.create(
      wholeAccount(stage.accountId),
      { url: stage.receiver.url('/resend'), events: ['email.delivery_delayed', 'email.failed', 'email.received'] },
      { payloadFormat: 'resend' },
    );
    const events = queuedEvents(stage.accountId, 2).map((logged, i) => {
      const facts = { failure_type: i === 0 ? 'temporary' : 'final', failed: { reason: 'busy' } };
      return { ...logged, event: { ...logged.event, type: 'email.failed', data: { ...logged.event.data, ...facts } } };
    });
    await made.fanOut.handle({ events: events as never });
    const calls = await stage.receiver.waitFor('/resend', 2);
    const kinds = calls.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    expect(kinds.sort()).toEqual(['email.delivery_delayed', 'email.failed']);
    for (const { body, headers } of calls) {
      const payload = { id: String(headers['svix-id']), timestamp: String(headers['svix-timestamp']) };
      const verified = new Resend('re_x').webhooks.verify({
        payload: body,
        headers: { ...payload, signature: String(headers['svix-signature']) },
        webhookSecret: webhook.secret,
      });
      expect(verified.data).toMatchObject({
        email_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      });
      expect(new Svix(webhook.secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
    }
  });
});

describe('SubscriberLookup', () => {
  const standalone = () => stage.newProcess({}, 'standalone');

  it('drops no account of a batch when it evicts others', async () => {
    const made = standalone();
    const webhook = await stage.subscribe(made, '/many');
    expect((await made.subscribers.find([stage.accountId])).get(stage.accountId)).toMatchObject([{ id: webhook.id }]);
    const others = Array.from({ length: 10_000 }, () => newId('acc'));
    expect((await made.subscribers.find([stage.accountId, ...others])).get(stage.accountId)).toMatchObject([
      { id: webhook.id },
    ]);
  });

  it('does not remember what it read while an endpoint was made', async () => {
    const made = standalone();
    const repository = stage.db.dataSource.getRepository(WebhookEntity);
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const slow = Object.create(repository, {
      find: { value: (options: object) => repository.find(options).then((rows) => held.then(() => rows)) },
    }) as typeof repository;
    const subscribers = new SubscriberLookup(slow, made.config);
    const reading = subscribers.find([stage.accountId]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const webhook = await stage.subscribe(made, '/meanwhile');
    subscribers.invalidate(stage.accountId);
    answer();
    await reading;
    expect((await subscribers.find([stage.accountId])).get(stage.accountId)).toMatchObject([{ id: webhook.id }]);
  });
});
