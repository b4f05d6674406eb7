import { Accounts, ApiKeys } from '#libs/accounts';
import { newId, timeOfId } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Database } from '#libs/persistence';
import { WebhookRangeReplays } from '#libs/webhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';

let gateway: GatewayApp;
/** An account with a plan and two domains, and keys: without limits, for the first domain, and a test key. */
let accountId: string;
let domains: { id: string; name: string }[];
let full: string;
let limited: string;
let test: string;

let made = 0;
beforeAll(async () => {
  gateway = await sharedGateway();
  ({ id: accountId } = await gateway.app.get(Accounts).create({ name: 'Limits', plan: '100' }));
  const sending = gateway.app.get(SendingDomains);
  domains = [
    await sending.addVouched(accountId, `first${++made}.limits.example`),
    await sending.addVouched(accountId, `second${made}.limits.example`),
  ];
  const keys = gateway.app.get(ApiKeys);
  ({ token: full } = await keys.create(accountId, { name: 'full' }));
  ({ token: limited } = await keys.create(accountId, { name: 'limited', domain_ids: [domains[0].id] }));
  ({ token: test } = await keys.create(accountId, { name: 'test', mode: 'test' }));
});

const mailFrom = (domain: number, over: object = {}) => ({
  from: `a@${domains[domain].name}`,
  to: 'ada@example.com',
  subject: 'Hi',
  text: 'Hi',
  ...over,
});
const post = (key: string, path: string, body: object) => gateway.agent(key).post(path).send(body);
const get = async <T>(key: string, path: string): Promise<T> => {
  const answer = await gateway.agent(key).get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.body as T;
};
const idsIn = async (key: string, path: string) =>
  (await get<{ data: { id: string }[] }>(key, path)).data.map(({ id }) => id);

describe('usage', () => {
  it('of a limited key is that of its domains, of a test key that of the account', async () => {
    for (const domain of [0, 0, 1]) expect((await post(full, '/emails', mailFrom(domain))).status).toBe(201);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = await post(full, '/emails', mailFrom(0, { scheduled_at: at }));
    const { id } = scheduled.body as { id: string };
    expect((await post(full, `/emails/${id}/cancel`, {})).status).toBe(200);
    expect((await post(test, '/emails', mailFrom(0))).status).toBe(201);
    expect(await get(full, '/usage')).toMatchObject({ limit: 100, used: 3, remaining: 97 });
    expect(await get(test, '/usage')).toMatchObject({ limit: 100, used: 3, remaining: 97 });
    expect(await get(limited, '/usage')).toMatchObject({ limit: 100, used: 2, remaining: null });
    const facade = { emails: { monthly: { used: 2, limit: 100 } }, domains: { used: 1 } };
    expect(await get(limited, '/resend/usage')).toMatchObject(facade);
  });
});

describe('statistics', () => {
  it('are asked for the domains of the key only', async () => {
    await get(limited, '/stats');
    expect(gateway.counts.question?.visibility).toMatchObject({ accountId, domainIds: new Set([domains[0].id]) });
    await get(limited, `/stats?domain_id=${domains[0].id}`);
    for (const [path, status] of [
      ['/stats', 403],
      ['/resend/emails/metrics', 401],
    ]) {
      const refused = await gateway.agent(limited).get(`${path}?domain_id=${domains[0].id},${domains[1].id}`);
      expect([refused.status, refused.body]).toEqual([status, expect.objectContaining({ name: 'restricted_api_key' })]);
    }
  });
});

describe('sandbox mail of a live key', () => {
  it('is visible to test keys and to live ones, live mail to live keys only', async () => {
    const [live, sandbox] = [
      ((await post(full, '/emails', mailFrom(1))).body as { id: string }).id,
      ((await post(full, '/emails', mailFrom(1, { sandbox: true }))).body as { id: string }).id,
    ];
    expect(await idsIn(full, '/emails')).toEqual(expect.arrayContaining([live, sandbox]));
    const seen = await idsIn(test, '/emails');
    expect([seen.includes(sandbox), seen.includes(live)]).toEqual([true, false]);
    const events = async (key: string, id: string) => idsIn(key, `/events?email_id=${id}`);
    await until(async () => (await events(full, sandbox)).length > 0);
    expect(await events(test, sandbox)).toEqual(await events(full, sandbox));
    await until(async () => (await events(full, live)).length > 0);
    expect(await events(test, live)).toEqual([]);
  });
});

describe('an idempotency key', () => {
  it('does not give a limited key the answer to another key', async () => {
    const headers = { 'idempotency-key': newId('em') };
    const first = await post(full, '/emails', mailFrom(1)).set(headers);
    expect((await post(full, '/emails', mailFrom(1)).set(headers)).body).toEqual(first.body);
    const refused = await post(limited, '/emails', mailFrom(1)).set(headers);
    expect([refused.status, refused.body]).toEqual([403, expect.objectContaining({ name: 'restricted_api_key' })]);
  });

  it.each(['strict', 'permissive'])('of a %s batch does not either', async (mode) => {
    const headers = { 'idempotency-key': newId('em'), 'x-batch-validation': mode };
    const batch = [mailFrom(0), mailFrom(1)];
    const [own] = (await post(full, '/emails/batch', batch).set(headers)).body as { id: string }[];
    const again = await post(limited, '/emails/batch', batch).set(headers);
    if (mode === 'strict') expect(again.status).toBe(403);
    else expect(again.body).toEqual([own, expect.objectContaining({ object: 'error', index: 1, error: 'forbidden' })]);
  });
});

describe('the events of a webhook', () => {
  it('that once received those of other domains are shown and replayed by what the key sees', async () => {
    const url = 'http://127.0.0.1:65000/hook';
    const body = { url, events: ['email.opened'], domain_ids: [domains[0].id, domains[1].id] };
    const { id } = (await post(full, '/webhooks', body)).body as { id: string };
    const [own, other, tested] = await Promise.all(
      [
        { domain: 0, isTest: false },
        { domain: 1, isTest: false },
        { domain: 0, isTest: true },
      ].map((of) => deliveryOf(id, of)),
    );
    expect((await gateway.agent(limited).get(`/webhooks/${id}/events`)).status).toBe(404);
    const narrow = { domain_ids: [domains[0].id] };
    expect((await gateway.agent(full).patch(`/webhooks/${id}`).send(narrow)).status).toBe(200);
    const sorted = async (key: string, query = '') => (await idsIn(key, `/webhooks/${id}/events${query}`)).sort();
    for (const query of ['', '?status=failed', '?type=email.opened'])
      expect([await sorted(full, query), await sorted(limited, query), await sorted(test, query)]).toEqual([
        [own, other, tested].sort(),
        [own, tested].sort(),
        [tested],
      ]);
    for (const path of [`/webhooks/${id}/events/${other}`, `/webhooks/${id}/events/${other}/attempts`])
      expect((await gateway.agent(limited).get(path)).status).toBe(404);
    expect((await post(limited, `/webhooks/${id}/events/${other}/replay`, {})).status).toBe(404);
    for (const domain_ids of [null, [domains[1].id], [domains[0].id, domains[1].id]])
      expect((await gateway.agent(limited).patch(`/webhooks/${id}`).send({ domain_ids })).status).toBe(403);
    const range = { from: '2020-01-01T00:00:00Z' };
    const replay = (await post(limited, `/webhooks/${id}/replay`, range)).body as { id: string };
    const replayed = await until(async () => {
      // The dispatcher does this in the program.
      await gateway.app.get(WebhookRangeReplays).step();
      const { body } = await gateway.agent(limited).get(`/webhooks/${id}/replays/${replay.id}`);
      return (body as { status: string }).status === 'completed' && (body as object);
    });
    expect(replayed).toMatchObject({ queued: 2 });
    const told = await post(limited, `/webhooks/${id}/test`, {});
    const { id: event } = told.body as { id: string };
    await get(limited, `/webhooks/${id}/events/${event}`);
    await get(test, `/webhooks/${id}/events/${event}`);
  });

  /** A failed delivery; resolves with the id of its event. */
  async function deliveryOf(webhook: string, { domain, isTest }: { domain: number; isTest: boolean }): Promise<string> {
    const [id, event] = [newId('dlv'), newId('evt')];
    await gateway.app.get(Database).query(
      `INSERT INTO webhook_deliveries
         (id, webhook_id, account_id, event_id, event_type, sequence, body, status, created_at, domain_id, test)
       VALUES ($1, $2, $3, $4, 'email.opened', 1, '{"data":{}}', 'failed', $5, $6, $7)`,
      [id, webhook, accountId, event, timeOfId(id), domains[domain].id, isTest],
    );
    return event;
  }
});

describe('suppressions', () => {
  it('of other domains are not shown to a limited key, in pages and by every filter', async () => {
    const entries = Array.from({ length: 30 }, (_, i) => ({
      email: `user${i}@limits.example.net`,
      domain_id: [domains[0].id, domains[1].id, null][i % 3],
    }));
    const added = await post(full, '/suppressions/batch/add', { entries });
    const all = (added.body as { data: { id: string; domain_id: string | null; email: string }[] }).data;
    const seen = all.filter(({ domain_id }) => domain_id !== domains[1].id);
    const newest = seen
      .map(({ id }) => id)
      .sort()
      .reverse();
    for (const filter of ['', 'q=user', 'q=@limits.example.net', 'origin=manual']) {
      const found: string[] = [];
      for (let after = ''; ;) {
        const page = await get<{ data: { id: string }[]; next_cursor: string | null }>(
          limited,
          `/suppressions?limit=7&${filter}${after}`,
        );
        found.push(...page.data.map(({ id }) => id));
        if (page.next_cursor === null) break;
        after = `&after=${page.next_cursor}`;
      }
      expect([filter, found]).toEqual([filter, newest]);
      expect(await idsIn(limited, `/suppressions?limit=5&before=${newest[9]}&${filter}`)).toEqual(newest.slice(4, 9));
    }
    const [ofDomain, ofOther, ofAccount] = all;
    for (const [{ id }, read, removed] of [
      [ofOther, 404, 404],
      [ofAccount, 200, 403],
      [ofDomain, 200, 200],
    ] as const) {
      expect((await gateway.agent(limited).get(`/suppressions/${id}`)).status).toBe(read);
      expect((await gateway.agent(limited).delete(`/suppressions/${id}`)).status).toBe(removed);
    }
    const answer = await post(limited, '/suppressions/batch/remove', { ids: [ofOther.id, ofAccount.id, all[3].id] });
    expect(answer.body).toMatchObject({ data: [{ error: 'not_found' }, { error: 'forbidden' }, { deleted: true }] });
    expect((await gateway.agent(full).get(`/suppressions/${ofOther.id}`)).status).toBe(200);
  });
});

describe('the request log', () => {
  it('of a limited key has requests of keys within its domains, of a test key those of test keys', async () => {
    for (const key of [full, limited, test]) await get(key, '/domains');
    const keysIn = async (key: string) =>
      new Set(
        (await get<{ data: { api_key_id: string }[] }>(key, '/logs?limit=100')).data.map((one) => one.api_key_id),
      );
    await until(async () => (await keysIn(full)).size >= 3);
    const ids = await Promise.all([limited, test].map((key) => gateway.app.get(ApiKeys).authenticate(key)));
    expect([await keysIn(limited), await keysIn(test)]).toEqual(ids.map(({ keyId }) => new Set([keyId])));
  });
});
