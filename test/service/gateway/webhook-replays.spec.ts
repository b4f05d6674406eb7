import { expect, it } from 'vitest';
import { sharedGateway } from '../../support/fixtures/gateway-app.js';

it('are started, shown, repeated by their key and canceled', async () => {
  const gateway = await sharedGateway();
  const { key } = await gateway.account();
  const api = () => gateway.agent(key);
  const created = await api()
    .post('/webhooks')
    .send({ url: 'https://hooks.example.com/mail', events: ['*'] });
  const { id } = created.body as { id: string };
  const range = { from: '2026-01-01T00:00:00.000Z', types: ['webhook.test'], status: 'pending' };
  const started = await api().post(`/webhooks/${id}/replay`).send(range);
  const replay = started.body as { id: string };
  expect([started.status, replay]).toMatchObject([
    202,
    {
      ...{ id: expect.stringMatching(/^rpl_[0-9a-f]{32}$/), object: 'webhook_replay', webhook_id: id },
      ...{ status: 'running', queued: 0, skipped: 0, filter: range },
    },
  ]);

  const replays = `/webhooks/${id}/replays`;
  const canceled = { ...replay, status: 'canceled', updated_at: expect.any(String) };
  expect((await api().get(replays)).body).toMatchObject({ object: 'list', data: [replay] });
  expect(await api().post(`${replays}/${replay.id}/cancel`)).toMatchObject({ status: 200, body: canceled });
  expect(await api().get(`${replays}/${replay.id}`)).toMatchObject({ status: 200, body: canceled });
  expect((await api().get(`${replays}/rpl_${'0'.repeat(32)}`)).status).toBe(404);
  expect((await api().get(`${replays}?after=evt_1`)).status).toBe(400);

  const keyed = (body: object) => api().post(`/webhooks/${id}/replay`).set('idempotency-key', 'replay-1').send(body);
  const [first, again] = [await keyed(range), await keyed(range)];
  expect(again.body).toEqual(first.body);
  expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true']);
  expect(await keyed({ from: range.from })).toMatchObject({
    status: 409,
    body: { name: 'invalid_idempotent_request' },
  });
});
