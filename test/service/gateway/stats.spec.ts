import { newId } from '#libs/contracts';
import { statsWords } from '#libs/stats';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';

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
      metrics: [...statsWords.metrics],
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

  it('implies periods by a granularity without dimensions, and answers in the spelling of the request', async () => {
    const body = (await ask('?granularity=minute&group_by=tags.kind&from=2026-01-01&to=2026-01-01')).body;
    expect(body).toMatchObject({ granularity: 'minute', dimensions: ['period'], group_by: ['tags.kind'] });
    expect(body).toMatchObject({ start_date: '2026-01-01T00:00:00.000Z', truncated: false });
    expect(gateway.counts.question).toMatchObject({
      granularity: 'minute',
      dimensions: ['period'],
      groupBy: ['tag:kind'],
    });
    expect((await ask('?granularity=day&dimensions=domain')).body).toMatchObject({ dimensions: ['domain'] });
  });

  it('adds the range of the same length before with compare=previous', async () => {
    const query = '?from=2026-01-03&to=2026-01-04&timezone=Europe/Berlin&dimensions=period&compare=previous';
    const body = (await ask(query)).body as { previous: object };
    expect(body.previous).toEqual({
      start_date: '2025-12-31T23:00:00.000Z',
      end_date: '2026-01-02T23:00:00.000Z',
      totals: { accepted: 7, delivery_rate: null },
      data: [expect.objectContaining({ period: '2025-12-31T23:00:00.000Z', accepted: 7 })],
    });
    expect((await ask('')).body).not.toHaveProperty('previous');
  });

  it('refuses parameters that it does not know, and says which there are', async () => {
    const answer = await ask('?metric=sent&granularity=day');
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      details: [{ field: 'metric', code: 'unknown_parameter', message: expect.stringContaining('metrics, ') }],
    });
  });

  it('answers for one domain as GET /stats does once there is a parameter beside from and to', async () => {
    const agent = gateway.agent(own.key);
    const of = `/domains/${own.domainId}/stats`;
    const counts = await agent.get(`${of}?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`);
    expect(counts.body).toMatchObject({ object: 'domain_stats', domain_id: own.domainId, accepted: 7 });
    const body = (await agent.get(`${of}?granularity=hour&from=2026-01-01&to=2026-01-01`)).body;
    expect(body).toMatchObject({ object: 'metrics', granularity: 'hour', dimensions: ['period'] });
    expect(gateway.counts.question).toMatchObject({ domainIds: [own.domainId], granularity: 'hour' });
    const other = await agent.get(`/domains/${newId('dom')}/stats?granularity=hour`);
    expect(other.status).toBe(404);
    const both = await agent.get(`${of}?from=2026-01-01&start_date=2026-01-01`);
    expect(both.body).toMatchObject({ details: [{ field: 'from' }] });
    const unknown = await agent.get(`${of}?domain_id=${own.domainId}`);
    expect(unknown.body).toMatchObject({ details: [{ field: 'domain_id', code: 'unknown_parameter' }] });
  });

  it.each([
    ['start_date', 'start_date=yesterday'],
    ['from', 'from=2026-01-01&start_date=2026-01-01'],
    ['compare', 'compare=next'],
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
