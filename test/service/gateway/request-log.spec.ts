import { connect } from 'node:net';
import { newId, wholeAccount } from '#libs/contracts';
import { ApiKeys, RequestLog } from '#libs/accounts';
import { Database } from '#libs/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';

interface Entry {
  id: string;
  method: string;
  endpoint: string;
  response_status: number;
  error: string | null;
  request_id: string;
  api_key_id: string;
  created_at: string;
}
interface Listed {
  object: string;
  has_more: boolean;
  data: Entry[];
  next_cursor: string | null;
}
type Account = Awaited<ReturnType<GatewayApp['account']>>;

let gateway: GatewayApp;
let database: Database;
beforeAll(async () => {
  gateway = await startGatewayApp();
  database = gateway.app.get(Database);
});
afterAll(() => gateway?.stop());

const list = async (key: string, query = ''): Promise<Listed> => {
  const answer = await gateway.agent(key).get(`/logs${query}`);
  expect(answer.status).toBe(200);
  return answer.body as Listed;
};
const idsOf = ({ data }: Listed) => data.map(({ id }) => id);
/** How many lines an account has, once it has this many. */
const written = (accountId: string, lines: number) =>
  until(async () => {
    const { rows } = await database.query('SELECT 1 FROM request_log WHERE account_id = $1', [accountId]);
    return rows.length >= lines && rows.length;
  });
const mailOf = ({ domain }: Account, over: object = {}) => ({
  from: `shop@${domain}`,
  to: 'reader@example.net',
  subject: 'Hi',
  text: 'Hi',
  ...over,
});

describe('the request log over HTTP', () => {
  let own: Account;
  let keyId: string;
  let started: Date;
  let all: Entry[];
  let requestId: string | null;

  beforeAll(async () => {
    own = await gateway.account();
    [{ id: keyId }] = (await gateway.app.get(ApiKeys).list(own.accountId, { limit: 1 })).data;
    started = new Date();
    const mail = await gateway.agent(own.key).post('/v1/emails').set({ 'user-agent': 'shop/1.0' }).send(mailOf(own));
    requestId = mail.headers['x-request-id'];
    const { id } = mail.body as { id: string };
    await gateway.agent(own.key).get(`/emails/${id}?limit=3`);
    await gateway
      .agent(own.key)
      .post('/emails')
      .send(mailOf(own, { from: 'shop@elsewhere.example.org' }));
    await gateway.agent(own.key).post('/emails').send({});
    await gateway.agent(own.key).get(`/nothing/${id}`);
    await gateway.agent(own.key).put('/emails');
    await gateway.agent(own.key).post('/graphql').send({ query: '{ __typename }' });
    await gateway.agent().get('/emails');
    await gateway.agent('pl_live_wrong').get('/emails');
    await gateway.agent().get('/healthz');
    await written(own.accountId, 7);
    all = (await list(own.key)).data;
  });

  it('shows every request with a known key, newest first, with what it was answered', () => {
    const shown = all.map(({ method, endpoint, response_status, error }) => [method, endpoint, response_status, error]);
    const id = all[5].endpoint.replace('/emails/', '');
    expect(shown).toEqual([
      ['POST', '/graphql', 200, null],
      ['PUT', '/emails', 405, 'method_not_allowed'],
      ['GET', `/nothing/${id}`, 404, 'not_found'],
      ['POST', '/emails', 400, 'missing_required_field'],
      ['POST', '/emails', 422, 'invalid_from_address'],
      ['GET', `/emails/${id}`, 200, null],
      ['POST', '/emails', 201, null],
    ]);
    expect(id).toMatch(/^em_[0-9a-f]{32}$/);
    const [entry] = all.slice(-1);
    expect(entry).toEqual({
      id: expect.stringMatching(/^log_[0-9a-f]{32}$/) as string,
      object: 'log',
      request_id: requestId,
      method: 'POST',
      endpoint: '/emails',
      response_status: 201,
      error: null,
      user_agent: 'shop/1.0',
      ip: '127.0.0.1',
      api_key_id: keyId,
      latency_ms: expect.any(Number) as number,
      created_at: expect.stringMatching(/Z$/) as string,
    });
    expect(new Date(entry.created_at).getTime()).toBeGreaterThanOrEqual(started.getTime());
  });

  it('filters by status, class, method, key and time, and by all of them together', async () => {
    const upTo = `&created_before=${new Date(new Date(all[0].created_at).getTime() + 1).toISOString()}`;
    const where = async (query: string) => idsOf(await list(own.key, `?${query}${upTo}`));
    const ids = (chosen: (entry: Entry) => boolean) => all.filter(chosen).map(({ id }) => id);
    expect(await where('')).toEqual(ids(() => true));
    expect(await where('status=422')).toEqual(ids((one) => one.response_status === 422));
    expect(await where('status=4xx')).toEqual(ids((one) => one.response_status >= 400));
    expect(await where('status=2xx')).toEqual(ids((one) => one.response_status < 300));
    expect(await where('status=201')).toEqual(ids((one) => one.response_status === 201));
    expect(await where('status=5xx')).toEqual([]);
    expect(await where('endpoint=/emails')).toEqual(ids((one) => one.endpoint.startsWith('/emails')));
    expect(await where('endpoint=/suppressions&method=GET')).toEqual(
      ids((one) => one.endpoint.startsWith('/suppressions') && one.method === 'GET'),
    );
    expect(await where('endpoint=emails')).toEqual([]);
    expect(await where('method=POST')).toEqual(ids((one) => one.method === 'POST'));
    expect(await where(`api_key_id=${keyId}`)).toEqual(ids(() => true));
    expect(await where(`api_key_id=${newId('key')}`)).toEqual([]);
    const middle = all[3].created_at;
    expect(await where(`created_after=${middle}`)).toEqual(ids((one) => one.created_at >= middle));
    const early = await list(own.key, `?created_before=${middle}`);
    expect(idsOf(early)).toEqual(ids((one) => one.created_at < middle));
    expect(await where(`status=4xx&method=POST&api_key_id=${keyId}&created_after=${started.toISOString()}`)).toEqual(
      ids((one) => one.method === 'POST' && one.response_status >= 400),
    );
  });

  it('pages both ways', async () => {
    const ids = all.map(({ id }) => id);
    const first = await list(own.key, `?limit=3&after=${ids[0]}`);
    expect([idsOf(first), first.has_more, first.next_cursor]).toEqual([ids.slice(1, 4), true, ids[3]]);
    const rest = await list(own.key, `?limit=3&after=${first.next_cursor}`);
    expect([idsOf(rest), rest.has_more, rest.next_cursor]).toEqual([ids.slice(4), false, null]);
    const back = await list(own.key, `?limit=2&before=${ids[6]}`);
    expect([idsOf(back), back.has_more, back.next_cursor]).toEqual([ids.slice(4, 6), true, ids[4]]);
    const refused = await list(own.key, `?limit=1&status=4xx&after=${ids[1]}`);
    expect([idsOf(refused), refused.has_more]).toEqual([[ids[2]], true]);
  });

  it('gives one entry, and 404 for what is not the account’s', async () => {
    const other = await gateway.account();
    const answer = await gateway.agent(own.key).get(`/logs/${all[2].id}`);
    expect(answer.body).toEqual(all[2]);
    for (const id of [newId('log'), 'log_x', `${all[2].id}0`])
      expect((await gateway.agent(own.key).get(`/logs/${id}`)).status).toBe(404);
    expect((await gateway.agent(other.key).get(`/logs/${all[2].id}`)).status).toBe(404);
    await written(other.accountId, 1);
    expect((await list(other.key)).data.map(({ endpoint }) => endpoint)).toEqual([`/logs/${all[2].id}`]);
    expect((await list(other.key, `?after=${all[0].id}`)).data).toEqual([]);
  });

  it.each([
    ['status', 'status=4'],
    ['status', 'status=600'],
    ['status', 'status=4xx&status=422'],
    ['method', 'method=post'],
    ['api_key_id', `api_key_id=${newId('em')}`],
    ['created_after', 'created_after=yesterday'],
    ['created_before', 'created_before=2026-01-01'],
    ['after', 'after=em_1'],
    ['limit', 'limit=101'],
  ])('answers 400 that names %s for ?%s', async (field, query) => {
    const answer = await gateway.agent(own.key).get(`/logs?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ details: [{ field }] });
  });

  it('needs a key that may read keys, and logs that one was refused', async () => {
    const sender = await gateway.account('sending_access');
    expect((await gateway.agent(sender.key).get('/logs')).status).toBe(403);
    await written(sender.accountId, 1);
    const { data } = await gateway.app.get(RequestLog).list(wholeAccount(sender.accountId), { limit: 2 });
    expect(data).toMatchObject([{ endpoint: '/logs', response_status: 403, error: 'restricted_api_key' }]);
  });
});

describe('the request log', () => {
  it('holds no address, no key and nothing of a body, wherever they were given', async () => {
    const account = await gateway.account();
    const address = 'canary@secret.example.com';
    const canaries = ['canary', 'secret.example', account.key, account.key.slice(8, 30)];
    const body = mailOf(account, {
      to: address,
      subject: 'canary',
      text: 'canary',
      tags: { a: 'canary' },
      headers: { 'X-A': 'canary' },
    });
    const headers = {
      'user-agent': `program (${address}) ${account.key}`,
      'x-forwarded-for': address,
      'idempotency-key': 'canary',
    };
    const places = [address, encodeURIComponent(address), account.key, `canary%00`, 'CANARY', 'canary.txt'];
    let asked = 0;
    const post = async (path: string, content: string | object) => {
      await gateway.agent(account.key).post(path).type('json').set(headers).send(content);
      asked += 1;
    };
    await post('/emails', body);
    await post('/emails', { ...body, from: address });
    await post('/emails', `{"to":"${address}"`);
    await post('/emails/batch', [body]);
    await post('/resend/emails', body);
    await post('/api-keys', { name: address });
    await post('/graphql', { query: `{ domain(id: "${address}") { id } }` });
    for (const place of places)
      for (const path of [`/emails/${place}`, `/unknown-route/${place}`, `/${place}`, `/emails?to=${place}`]) {
        await gateway.agent(account.key).get(path.replace('/canary', '/canary1')).set(headers);
        asked += 1;
      }
    await written(account.accountId, asked);
    const { rows } = await database.query('SELECT * FROM request_log WHERE account_id = $1', [account.accountId]);
    expect(rows).toHaveLength(asked);
    const text = JSON.stringify(rows).toLowerCase();
    for (const canary of canaries) expect(text).not.toContain(canary.toLowerCase());
  });

  it('keeps no request waiting while it cannot be written, and is written later', async () => {
    const account = await gateway.account();
    const session = await database.session();
    await session.query('BEGIN');
    await session.query('LOCK TABLE request_log IN ACCESS EXCLUSIVE MODE');
    const answers: number[] = [];
    try {
      for (let i = 0; i < 30; i++) {
        answers.push((await gateway.agent(account.key).get('/emails')).status);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    } finally {
      await session.query('COMMIT');
      session.release();
    }
    expect(answers).toEqual(answers.map(() => 200));
    expect(await written(account.accountId, 30)).toBe(30);
  });

  it('has the requests of those who do not wait for the answer', async () => {
    const account = await gateway.account();
    const body = JSON.stringify(mailOf(account));
    // The key is known then, and the body is read as it comes: else the cut may be noticed before there is a request.
    await gateway.agent(account.key).get('/domains');
    const socket = connect(gateway.port, '127.0.0.1', () => {
      socket.write(
        `POST /emails HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${account.key}\r\n` +
          `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        () => socket.destroy(),
      );
    });
    await written(account.accountId, 2);
    const { data } = await gateway.app.get(RequestLog).list(wholeAccount(account.accountId), { limit: 2 });
    expect(data).toMatchObject([{ method: 'POST', endpoint: '/emails', response_status: 201 }, { method: 'GET' }]);
  });

  it('goes on with a short page where a filter leaves little of many lines', async () => {
    const account = await gateway.account();
    // One POST, then 12,000 times GET, then one POST.
    await database.query(
      `INSERT INTO request_log (id, account_id, api_key_id, request_id, method, path, status, latency_ms, created_at)
       SELECT 'log_' || lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || lpad(to_hex(i), 20, '0'),
              $1, 'key_1', 'req_1', CASE WHEN i % 12001 = 1 THEN 'POST' ELSE 'GET' END,
              '/', CASE WHEN i = 1 THEN 500 ELSE 200 END, 1, now() FROM generate_series(1, 12002) AS i`,
      [account.accountId],
    );
    const log = gateway.app.get(RequestLog);
    const first = await log.list(wholeAccount(account.accountId), { limit: 20 }, { method: 'POST' });
    expect([first.data.length, first.has_more]).toEqual([1, true]);
    const after = first.next_cursor as string;
    const second = await log.list(wholeAccount(account.accountId), { limit: 20, after }, { method: 'POST' });
    expect([second.data.length, second.has_more, second.next_cursor]).toEqual([1, false, null]);
    const back = await log.list(
      wholeAccount(account.accountId),
      { limit: 20, before: second.data[0].id },
      { method: 'POST' },
    );
    expect([back.data.length, back.has_more]).toEqual([0, true]);
    const refused = await log.list(wholeAccount(account.accountId), { limit: 20 }, { statusClass: 5 });
    expect([refused.data.map(({ id }) => id), refused.has_more]).toEqual([[second.data[0].id], false]);
  });

  it('is kept for 30 days', async () => {
    const account = await gateway.account();
    const insert = (days: number) =>
      database.query(
        `INSERT INTO request_log (id, account_id, api_key_id, request_id, method, path, status, latency_ms, created_at)
         SELECT 'log_' || lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || lpad(to_hex(i), 20, '0'),
                $1, 'key_1', 'req_1', 'GET', '/', 200, 1, at
           FROM generate_series(1, 1100) AS i, (SELECT now() - make_interval(days => $2) AS at) AS day`,
        [account.accountId, days],
      );
    await insert(32);
    await insert(28);
    await gateway.app.get(RequestLog).prune();
    const kept = async () =>
      (await database.query('SELECT created_at FROM request_log WHERE account_id = $1', [account.accountId])).rows
        .length;
    expect(await kept()).toBe(1_100);
    await gateway.app.get(RequestLog).prune();
    expect(await kept()).toBe(1_100);
  });
});
