import type { GetEmailResponseSuccess, GetEmailsMetricsResponseSuccess, ListEmailsResponseSuccess } from 'resend';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bareUuid } from '#libs/contracts';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { good, refused, resendClient, timestamp } from '../../support/resend/resend-client.js';

let gateway: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;
let resend: ReturnType<typeof resendClient>;

beforeAll(async () => {
  gateway = await sharedGateway();
});
beforeEach(async () => {
  own = await gateway.account();
  resend = resendClient(gateway.url, own.key);
});

const NOBODYS = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';
const HOUR = 3_600_000;

const send = async (over: object = {}): Promise<string> => {
  const mail = { from: `orders@${own.domain}`, to: 'ada@example.com', subject: 'Hello', text: 'Hi', ...over };
  return (await good(resend.emails.send(mail))).id;
};

describe('resend.emails.get', () => {
  it('has every field, null where there is nothing', async () => {
    const id = await send();
    expect(await good(resend.emails.get(id))).toEqual({
      object: 'email',
      id,
      to: ['ada@example.com'],
      from: `orders@${own.domain}`,
      created_at: timestamp(),
      subject: 'Hello',
      html: null,
      text: 'Hi',
      bcc: null,
      cc: null,
      reply_to: null,
      message_id: expect.stringMatching(new RegExp(`^<.+@${own.domain}>$`)) as string,
      last_event: 'queued',
      scheduled_at: null,
      tags: [],
    } satisfies GetEmailResponseSuccess);
  });

  it('takes our ids too, also of mail that was sent by our own API', async () => {
    const mail = { from: `orders@${own.domain}`, to: 'ada@example.com', subject: 'Hello', text: 'Hi' };
    const { id } = (await gateway.agent(own.key).post('/emails').send(mail)).body as { id: string };
    expect(await good(resend.emails.get(id))).toMatchObject({ id: bareUuid(id) });
    expect(await good(resend.emails.get(bareUuid(id).toUpperCase()))).toMatchObject({ id: bareUuid(id) });
  });

  it.each([NOBODYS, 'nonsense', 'em_1', 'a%2fb'])('knows no %s', async (id) => {
    expect(await refused(resend.emails.get(id))).toEqual([404, 'not_found']);
  });
});

describe('resend.emails.list', () => {
  it('shows mails without their bodies, newest first', async () => {
    const [first, second] = [await send(), await send({ cc: 'bob@example.com' })];
    const list: ListEmailsResponseSuccess = await good(resend.emails.list());
    expect(list).toEqual({ object: 'list', has_more: false, data: [expect.anything(), expect.anything()] });
    expect(list.data.map(({ id }) => id)).toEqual([second, first]);
    expect(list.data[0]).toEqual({
      id: second,
      to: ['ada@example.com'],
      from: `orders@${own.domain}`,
      created_at: timestamp(),
      subject: 'Hello',
      bcc: null,
      cc: ['bob@example.com'],
      reply_to: null,
      message_id: expect.stringContaining('@') as string,
      last_event: 'queued',
      scheduled_at: null,
    });
  });

  it('goes forth and back in pages', async () => {
    const ids = [await send(), await send(), await send(), await send()].reverse();
    const page = async (options: Parameters<typeof resend.emails.list>[0]) => {
      const { data, has_more } = await good(resend.emails.list(options));
      return [data.map(({ id }) => id), has_more];
    };
    expect(await page({ limit: 3 })).toEqual([ids.slice(0, 3), true]);
    expect(await page({ limit: 3, after: ids[2] })).toEqual([[ids[3]], false]);
    expect(await page({ limit: 2, before: ids[3] })).toEqual([ids.slice(1, 3), true]);
    expect(await page({ before: ids[0] })).toEqual([[], false]);
  });

  it.each([
    [{ limit: 0 }, 'invalid_parameter'],
    [{ limit: 101 }, 'invalid_parameter'],
    [{ after: 'nonsense' }, 'validation_error'],
    [{ after: NOBODYS, before: NOBODYS }, 'validation_error'],
  ])('refuses %j', async (options, name) => {
    expect(await refused(resend.emails.list(options as never))).toEqual([
      name === 'validation_error' ? 400 : 422,
      name,
    ]);
  });
});

describe('resend.emails.update and cancel', () => {
  const inAnHour = () => new Date(Date.now() + HOUR).toISOString();
  const update = (id: string, scheduledAt: string) => resend.emails.update({ id, scheduledAt });

  it('give a mail that waits another time', async () => {
    const id = await send({ scheduledAt: inAnHour() });
    const at = new Date(Date.now() + 2 * HOUR).toISOString();
    expect(await good(update(id, at))).toEqual({ object: 'email', id });
    expect(await good(resend.emails.get(id))).toMatchObject({ scheduled_at: at, last_event: 'scheduled' });
    const before = Date.now();
    await good(update(id, 'in 3 hours'));
    const { scheduled_at } = await good(resend.emails.get(id));
    expect(Date.parse(String(scheduled_at)) - before - 3 * HOUR).toBeLessThan(60_000);
  });

  it('let it go at once when the time is past', async () => {
    const id = await send({ scheduledAt: inAnHour() });
    await good(update(id, new Date(Date.now() - 30_000).toISOString()));
    const { scheduled_at } = await good(resend.emails.get(id));
    expect(Date.parse(String(scheduled_at))).toBeLessThanOrEqual(Date.now());
  });

  it('refuse what is no time, and a mail that does not wait', async () => {
    const [waits, goes] = [await send({ scheduledAt: inAnHour() }), await send()];
    expect(await refused(update(waits, 'next moon'))).toEqual([400, 'validation_error']);
    expect(await refused(update(waits, 'in 30 days'))).toEqual([400, 'validation_error']);
    expect(await refused(update(waits, undefined as never))).toEqual([422, 'missing_required_field']);
    expect(await refused(update(goes, inAnHour()))).toEqual([422, 'validation_error']);
    expect(await refused(update(NOBODYS, inAnHour()))).toEqual([404, 'not_found']);
  });

  it('cancel a mail that waits, once', async () => {
    const id = await send({ scheduledAt: inAnHour() });
    expect(await good(resend.emails.cancel(id))).toEqual({ object: 'email', id });
    expect(await good(resend.emails.get(id))).toMatchObject({ last_event: 'canceled' });
    expect(await refused(resend.emails.cancel(id))).toEqual([422, 'validation_error']);
    expect(await refused(update(id, inAnHour()))).toEqual([422, 'validation_error']);
    expect(await refused(resend.emails.cancel(NOBODYS))).toEqual([404, 'not_found']);
    expect(await refused(resend.emails.cancel('nonsense'))).toEqual([404, 'not_found']);
  });
});

describe('resend.emails.attachments', () => {
  const content = Buffer.from('Total: 7');
  const attachments = ['a', 'b', 'c'].map((name) => ({ filename: `${name}.txt`, content }));

  it('have a link that opens without a key', async () => {
    const emailId = await send({ attachments });
    const { data } = await good(resend.emails.attachments.list({ emailId }));
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
      filename: 'a.txt',
      size: 8,
      content_type: 'text/plain',
      content_disposition: 'attachment',
      download_url: expect.stringContaining('/download?token=') as string,
      expires_at: timestamp(),
    });
    const one = await good(resend.emails.attachments.get({ emailId, id: data[0].id }));
    expect(one).toMatchObject({ object: 'attachment', id: data[0].id, filename: 'a.txt' });
    const { pathname, search } = new URL(one.download_url);
    const loaded = await gateway
      .agent()
      .get(pathname + search)
      .responseType('blob');
    expect([loaded.status, loaded.body]).toEqual([200, content]);
  });

  it('are listed in pages, in the order of the mail', async () => {
    const emailId = await send({ attachments });
    const { data: all } = await good(resend.emails.attachments.list({ emailId }));
    const page = async (options: { limit?: number; after?: string } | { limit?: number; before?: string }) => {
      const { data, has_more } = await good(resend.emails.attachments.list({ emailId, ...options }));
      return [data.map(({ filename }) => filename), has_more];
    };
    expect(await page({ limit: 2 })).toEqual([['a.txt', 'b.txt'], true]);
    expect(await page({ limit: 2, after: all[1].id })).toEqual([['c.txt'], false]);
    expect(await page({ limit: 1, before: all[2].id })).toEqual([['b.txt'], true]);
    expect(await page({ after: NOBODYS })).toEqual([[], false]);
  });

  it('of others are not there', async () => {
    const [emailId, other] = [await send({ attachments }), await send()];
    const { data } = await good(resend.emails.attachments.list({ emailId }));
    expect(await good(resend.emails.attachments.list({ emailId: other }))).toMatchObject({ data: [], has_more: false });
    expect(await refused(resend.emails.attachments.list({ emailId: NOBODYS }))).toEqual([404, 'not_found']);
    for (const [mail, id] of [
      [other, data[0].id],
      [NOBODYS, data[0].id],
      [emailId, NOBODYS],
      [emailId, 'x'],
    ])
      expect(await refused(resend.emails.attachments.get({ emailId: mail, id }))).toEqual([404, 'not_found']);
  });
});

describe('resend.emails.metrics', () => {
  afterEach(() => (gateway.counts.answer = null));

  it('has every metric of the package over the last days, a number for each', async () => {
    gateway.counts.answer = {
      totals: { sent: 9, delivered: 7, delivery_rate: 0.777778, open_rate: null },
      rows: null,
      approximate: [],
    };
    const metrics = await good(resend.emails.metrics());
    expect(metrics).toEqual({
      object: 'metrics',
      start_date: timestamp(),
      end_date: timestamp(),
      metrics: expect.any(Array) as GetEmailsMetricsResponseSuccess['metrics'],
      dimensions: [],
      granularity: 'daily',
      totals: expect.objectContaining({
        received: 0,
        sent: 9,
        delivered: 7,
        delivery_rate: 0.777778,
        open_rate: 0,
      }) as object,
    } satisfies GetEmailsMetricsResponseSuccess);
    expect(Object.keys(metrics.totals).sort()).toEqual([...metrics.metrics].sort());
    expect(metrics.metrics).toHaveLength(22);
    // Seven dates with today.
    const hours = (Date.parse(metrics.end_date) - Date.parse(metrics.start_date)) / HOUR;
    expect(hours).toBeGreaterThanOrEqual(6 * 24);
    expect(hours).toBeLessThan(7 * 24);
    expect(gateway.counts.question).toMatchObject({
      visibility: { accountId: own.accountId },
      granularity: 'day',
      timezone: 'UTC',
    });
  });

  it('breaks down by period, domain and mail', async () => {
    const [period, emailId] = [new Date('2026-03-01T00:00:00Z'), 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa'];
    gateway.counts.answer = {
      totals: { sent: 2 },
      rows: [
        { period, domainId: own.domainId, emailId, values: { sent: 1 } },
        { period, domainId: 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa', emailId, values: { sent: 1 } },
        { period, domainId: null, emailId, values: { sent: 0 } },
      ],
      approximate: [],
    };
    const answer = await good(
      resend.emails.metrics({
        startDate: '2026-03-01',
        endDate: '2026-03-07T12:00:00Z',
        timezone: 'Europe/Berlin',
        granularity: 'hourly',
        metrics: ['sent', 'received'],
        dimensions: ['period', 'domain', 'email'],
        domainId: [bareUuid(own.domainId), own.domainId],
        emailId: [NOBODYS, bareUuid(emailId)],
      }),
    );
    const place = { period: '2026-03-01T00:00:00.000Z', email_id: NOBODYS };
    expect(answer).toEqual({
      object: 'metrics',
      start_date: '2026-02-28T23:00:00.000Z',
      end_date: '2026-03-07T12:00:00.000Z',
      metrics: ['sent', 'received'],
      dimensions: ['period', 'domain', 'email'],
      granularity: 'hourly',
      totals: { sent: 2, received: 0 },
      data: [
        { ...place, domain_id: bareUuid(own.domainId), domain_name: own.domain, sent: 1, received: 0 },
        { ...place, domain_id: NOBODYS, sent: 1, received: 0 },
        { ...place, sent: 0, received: 0 },
      ],
    } satisfies GetEmailsMetricsResponseSuccess);
    expect(gateway.counts.question).toMatchObject({
      visibility: { accountId: own.accountId },
      granularity: 'hour',
      timezone: 'Europe/Berlin',
      metrics: ['sent'],
      dimensions: ['period', 'domain', 'email'],
      domainIds: [own.domainId],
      emailIds: [emailId],
    });
  });

  it.each(['weekly', 'monthly'] as const)('counts %s', async (granularity) => {
    expect(await good(resend.emails.metrics({ granularity }))).toMatchObject({ granularity });
    expect(gateway.counts.question?.granularity).toBe(granularity.replace('ly', ''));
  });

  it('can be asked for what never happens here', async () => {
    gateway.counts.answer = { totals: { sent: 3 }, rows: null, approximate: [] };
    expect(await good(resend.emails.metrics({ metrics: ['received'] }))).toMatchObject({ totals: { received: 0 } });
  });

  it.each([
    [{ granularity: 'yearly' }, 'granularity'],
    [{ metrics: ['sent', 'accepted'] }, 'metrics'],
    [{ dimensions: ['broadcast'] }, 'dimensions'],
    [{ broadcastId: [NOBODYS] }, 'broadcast_id'],
    [{ domainId: ['example.com'] }, 'domain_id'],
    [{ startDate: 'yesterday' }, 'start_date'],
    [{ startDate: '2026-03-02', endDate: '2026-03-01' }, 'start_date'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
  ])('refuses %j', async (options, field) => {
    const call = resend.emails.metrics(options as never);
    expect(await refused(call)).toEqual([422, 'invalid_parameter']);
    expect((await call).error).toMatchObject({ details: [{ field }] });
  });
});
