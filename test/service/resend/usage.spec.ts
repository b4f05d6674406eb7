import type { GetLogResponseSuccess, GetUsageResponseSuccess } from 'resend';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '#libs/accounts';
import { bareUuid } from '#libs/contracts';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { good, refused, resendClient, timestamp, uuid } from '../../support/resend/resend-client.js';
import { until } from '../../support/timing/until.js';

let gateway: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;
let resend: ReturnType<typeof resendClient>;

beforeAll(async () => {
  gateway = await startGatewayApp({ RATE_LIMIT_PER_SECOND: '100' });
});
beforeEach(async () => {
  own = await gateway.account();
  resend = resendClient(gateway.url, own.key);
});
afterAll(() => gateway.stop());

const NOBODYS = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';
const DAY = 24 * 3_600_000;

const send = (to: string | string[] = 'ada@example.com') =>
  good(resend.emails.send({ from: `orders@${own.domain}`, to, subject: 'Hello', text: 'Hi' }));

describe('resend.usage.get', () => {
  afterEach(() => (gateway.counts.answer = null));

  it('tells what was used of the month, and what there is none of', async () => {
    await gateway.app.get(Accounts).setPlan(own.accountId, '3000');
    await send(['ada@example.com', 'bob@example.com']);
    gateway.counts.answer = { totals: { accepted: 5 }, rows: null, approximate: [] };
    const usage = await good(resend.usage.get());
    const { resets_at } = usage.emails.monthly;
    expect(usage).toEqual({
      object: 'usage',
      emails: {
        daily: { used: 5, limit: null, sent: 5, received: 0, resets_at: timestamp() },
        monthly: { used: 2, limit: 3000, sent: 2, received: 0, resets_at: timestamp() },
      },
      contacts: { used: 0, limit: 0 },
      segments: { used: 0, limit: 0 },
      broadcasts: { used: 0, limit: null },
      ai_credits: { used: 0, limit: 0, next_increase_at: null },
      automation_runs: { used: 0, limit: 0, resets_at },
      domains: { used: 1, limit: 1000 },
      rate_limit: { limit: 100, duration: '1000ms' },
    } satisfies GetUsageResponseSuccess);
    expect(resets_at).toMatch(/-01T00:00:00\.000Z$/);
    const { from, to } = gateway.counts.question ?? expect.fail();
    expect(to.getTime() - from.getTime()).toBe(DAY);
  });

  it('has a number that all clients can hold for a plan without a limit', async () => {
    gateway.counts.answer = { totals: { accepted: 5 }, rows: null, approximate: [] };
    const { emails } = await good(resend.usage.get());
    expect(emails.monthly).toMatchObject({ used: 5, sent: 5, limit: 2 ** 31 - 1 });
  });
});

describe('resend.logs', () => {
  const logs = async (endpoint: string) =>
    (await good(resend.logs.list({ limit: 100 }))).data.filter((entry) => entry.endpoint === endpoint);

  it('list requests by the paths that the client asked for', async () => {
    await send();
    await refused(resend.emails.get(NOBODYS));
    await gateway.agent(own.key).get('/usage');
    const [entry] = await until(async () => {
      const found = [...(await logs('/emails')), ...(await logs(`/emails/${NOBODYS}`)), ...(await logs('/usage'))];
      return found.length === 3 && found;
    });
    const expected = {
      id: uuid(),
      created_at: timestamp(),
      endpoint: '/emails',
      method: 'POST',
      response_status: 200,
      user_agent: expect.stringMatching(/^resend-node/) as string,
    };
    expect(entry).toEqual(expected);
    expect(await good(resend.logs.get(entry.id))).toEqual({
      object: 'log',
      ...entry,
      request_body: null,
      response_body: null,
    } satisfies GetLogResponseSuccess);
    expect(await logs(`/emails/${NOBODYS}`)).toMatchObject([{ method: 'GET', response_status: 404 }]);
  });

  it('go forth and back in pages', async () => {
    for (let i = 0; i < 3; i++) await send();
    const all = await until(async () => {
      const { data } = await good(resend.logs.list());
      return data.filter(({ method }) => method === 'POST').length === 3 && data.map(({ id }) => id);
    });
    const last = all.at(-1) ?? '';
    const first = await good(resend.logs.list({ limit: 2, before: last }));
    expect(first.data.map(({ id }) => id)).toEqual(all.slice(-3, -1));
    const next = await good(resend.logs.list({ limit: 2, after: first.data[0].id }));
    expect([next.data.map(({ id }) => id), next.has_more]).toEqual([all.slice(-2), false]);
  });

  it('know no others', async () => {
    const other = await gateway.account();
    await gateway.agent(other.key).get('/usage');
    const theirs = await until(async () => {
      const page = (await gateway.agent(other.key).get('/logs')).body as { data: { id: string }[] };
      return page.data[0]?.id;
    });
    for (const id of [theirs, bareUuid(theirs), NOBODYS, 'x'])
      expect(await refused(resend.logs.get(id))).toEqual([404, 'not_found']);
  });
});
