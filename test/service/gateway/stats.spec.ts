import { newId } from '#libs/contracts';
import { METRICS } from '#libs/stats';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/gateway-app.js';

describe('GET /stats', () => {
  let gateway: GatewayApp;
  let own: Awaited<ReturnType<GatewayApp['account']>>;
  beforeAll(async () => {
    gateway = await sharedGateway();
    own = await gateway.account();
    gateway.counts.accepted = 7;
  });

  const ask = (query: string, key = own.key) => gateway.agent(key).get(`/stats${query}`);

  it('asks for every metric of the caller’s account when nothing is said, and gives totals alone', async () => {
    const answer = await ask('');
    expect(answer.status).toBe(200);
    const body = answer.body as Record<string, unknown>;
    expect(body).toMatchObject({
      object: 'metrics',
      timezone: 'UTC',
      granularity: 'day',
      dimensions: [],
      group_by: [],
    });
    expect(body).toMatchObject({
      metrics: [...METRICS],
      totals: { accepted: 7, delivery_rate: null },
      approximate: [],
    });
    expect(body).not.toHaveProperty('data');
    expect(gateway.counts.question).toMatchObject({
      visibility: { accountId: own.accountId },
      domainIds: null,
      emailIds: null,
    });
  });

  it('passes on what is asked, and names the place of each row', async () => {
    const domain = newId('dom');
    const query =
      '?start_date=2026-01-01&end_date=2026-01-02&timezone=Europe%2FBerlin&granularity=hour&metrics=accepted,delivery_rate' +
      `&dimensions=period,domain&group_by=tag:kind,provider&percentiles=p50,p99&domain_id=${domain}`;
    const body = (await ask(query)).body;
    expect(body).toMatchObject({
      start_date: '2025-12-31T23:00:00.000Z',
      end_date: '2026-01-02T23:00:00.000Z',
      data: [
        { period: '2025-12-31T23:00:00.000Z', domain_id: null, tags: { kind: 'a' }, accepted: 7, delivery_rate: null },
      ],
    });
    expect(gateway.counts.question).toMatchObject({
      timezone: 'Europe/Berlin',
      granularity: 'hour',
      metrics: ['accepted', 'delivery_rate'],
      groupBy: ['tag:kind', 'provider'],
      percentiles: ['p50', 'p99'],
      domainIds: [domain],
    });
  });

  it.each([
    ['start_date', 'start_date=yesterday'],
    ['start_date', 'start_date=2026-01-02&end_date=2026-01-01'],
    ['end_date', 'end_date=2026-01-01T10:00'],
    ['timezone', 'timezone=Mars%2FBase'],
    ['granularity', 'granularity=daily'],
    ['metrics', 'metrics=sent,nothing'],
    ['metrics', 'metrics=sent&metrics=opened'],
    ['dimensions', 'dimensions=broadcast'],
    ['group_by', 'group_by=tag:'],
    ['percentiles', 'percentiles=p42'],
    ['domain_id', 'domain_id=em_1'],
    ['email_id', 'email_id=%00'],
  ])('answers 400 that names %s for ?%s', async (field, query) => {
    const answer = await ask(`?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      name: 'invalid_parameter',
      details: [{ field, message: expect.stringMatching(/^must/) }],
    });
  });

  it('tells all that is wrong at once', async () => {
    const body = (await ask('?granularity=x&timezone=x&metrics=x')).body as { details: { field: string }[] };
    expect(body.details.map(({ field }) => field).sort()).toEqual(['granularity', 'metrics', 'timezone']);
  });

  it('needs a key that may read statistics', async () => {
    const sender = await gateway.account('sending_access');
    expect((await ask('', sender.key)).status).toBe(403);
  });
});
