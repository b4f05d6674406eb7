import { Accounts, ApiKeys } from '#libs/accounts';
import { Database } from '#libs/persistence';
import { SuppressionList } from '#libs/suppressions';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';

type Json = Record<string, unknown>;
let gateway: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;

beforeAll(async () => {
  gateway = await sharedGateway();
  own = await gateway.account();
}, 60_000);

const mail = (over: object = {}, from = own) => ({
  from: `Shop <orders@${from.domain}>`,
  to: 'user@example.com',
  subject: 'Hello',
  text: 'text',
  ...over,
});
const as = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` });
const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await gateway
    .agent(own.key)
    .post(path)
    .type('json')
    .set(headers)
    .send(body as object);
  return { status: response.status, headers: response.headers, body: response.body as Json };
};
const suppress = (accountId: string, address: string) =>
  gateway.app.get(SuppressionList).add(gateway.app.get(Database), {
    accountId,
    address,
    origin: 'manual',
    reason: null,
    sourceId: null,
  });
const mailsOf = async (accountId: string): Promise<number> => {
  const { rows } = await gateway.app
    .get(Database)
    .query<{ n: number }>('SELECT count(*)::int AS n FROM emails WHERE account_id = $1', [accountId]);
  return rows[0].n;
};
const limited = async (plan: string) => {
  const account = await gateway.account();
  await gateway.app.get(Accounts).setPlan(account.accountId, plan);
  return account;
};

describe('POST /emails/batch, strict', () => {
  it('answers an array with one element per mail, in order', async () => {
    const subjects = Array.from({ length: 100 }, (_, i) => `Number ${i}`);
    const { status, body } = await post(
      '/emails/batch',
      subjects.map((subject) => mail({ subject })),
    );
    expect(status).toBe(201);
    const list = body as unknown as { id: string; object: string }[];
    expect(list.every((element) => element.object === 'email')).toBe(true);
    const found = await Promise.all(
      [0, 42, 99].map(async (i) => (await gateway.agent(own.key).get(`/emails/${list[i].id}`)).body),
    );
    expect(found).toMatchObject([{ subject: 'Number 0' }, { subject: 'Number 42' }, { subject: 'Number 99' }]);
  });

  it('has ids in the order of submission, as lists have them', async () => {
    const account = await gateway.account();
    const batch = Array.from({ length: 30 }, (_, i) => mail({ subject: `Number ${i}` }, account));
    const { body } = await post('/emails/batch', batch, as(account));
    const ids = (body as unknown as { id: string }[]).map((element) => element.id);
    expect(ids).toEqual(ids.toSorted());
  });

  it('stores nothing when one element is bad, and names every bad one', async () => {
    const account = await gateway.account();
    const { status, body } = await post(
      '/emails/batch',
      [
        mail({}, account),
        mail({ from: 'a@elsewhere.example' }, account),
        mail({ to: [] }, account),
        mail({ subject: 7, to: 'nobody' }, account),
      ],
      as(account),
    );
    expect(status).toBe(422);
    expect(body).toMatchObject({
      error: 'unprocessable_entity',
      name: 'invalid_from_address',
      details: [{ field: '[1].from' }],
      errors: [
        { index: 1, error: 'unprocessable_entity', field: 'from' },
        { index: 2, error: 'bad_request', field: 'to' },
        { index: 3, error: 'bad_request', field: 'to' },
      ],
    });
    expect(await mailsOf(account.accountId)).toBe(0);
  });

  it.each([
    ['an empty array', []],
    ['101 mails', Array.from({ length: 101 }, () => ({}))],
    ['one mail alone', { from: 'x' }],
    ['a null', null],
  ])('refuses %s', async (_what, body) => {
    expect(await post('/emails/batch', body)).toMatchObject({
      status: 400,
      body: { name: 'validation_error', details: [{ code: 'invalid_batch' }] },
    });
  });

  it('names the fields that no mail of it knows', async () => {
    const { headers } = await post('/emails/batch', [mail({ topic_id: 1 }), mail({ topic_id: 1, colour: 2 })]);
    expect(headers['x-ignored-fields']).toBe('topic_id, colour');
  });

  it('refuses a mode that does not exist', async () => {
    expect(await post('/emails/batch', [mail()], { 'x-batch-validation': 'lax' })).toMatchObject({
      status: 400,
      body: {
        message: 'The header x-batch-validation must be one of strict, permissive.',
        details: [{ field: 'x-batch-validation' }],
      },
    });
  });
});

describe('POST /emails/batch, permissive', () => {
  const permissive = { 'x-batch-validation': 'permissive' };

  it('answers one element per mail in order, the bad ones as errors', async () => {
    await suppress(own.accountId, 'gone@example.com');
    const { status, body } = await post(
      '/emails/batch',
      [mail(), mail({ to: 'gone@example.com' }), 'no mail', mail()],
      permissive,
    );
    expect(status).toBe(201);
    expect(body).toMatchObject([
      { object: 'email' },
      { object: 'error', index: 1, error: 'unprocessable_entity' },
      { object: 'error', index: 2, error: 'bad_request' },
      { object: 'email' },
    ]);
  });

  it('answers 422 when all are bad', async () => {
    const { status, body } = await post('/emails/batch', [mail({ to: 'nobody' }), {}], permissive);
    expect([status, body]).toMatchObject([422, { name: 'validation_error', errors: [{ index: 0 }, { index: 1 }] }]);
  });
});

describe('idempotency', () => {
  it('replays the whole answer of a batch, its errors included', async () => {
    const headers = { 'idempotency-key': 'batch-1', 'x-batch-validation': 'permissive' };
    const batch = [mail(), mail({ to: 'nobody' }), mail()];
    const first = await post('/emails/batch', batch, headers);
    const again = await post('/v1/emails/batch', batch, headers);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect([first, again].map((answer) => answer.headers['idempotent-replayed'])).toEqual([undefined, 'true']);
    expect(await post('/emails/batch', [mail()], headers)).toMatchObject({
      status: 409,
      body: { name: 'invalid_idempotent_request' },
    });
    // The same key at another operation is another key.
    expect(
      (await post('/emails', mail(), { 'idempotency-key': 'batch-1' })).headers['idempotent-replayed'],
    ).toBeUndefined();
  });

  it('answers a repetition as before, though the recipient has been suppressed since', async () => {
    const body = mail({ to: 'later@example.com' });
    const headers = { 'idempotency-key': 'before-the-bounce' };
    const first = await post('/emails', body, headers);
    await suppress(own.accountId, 'later@example.com');
    expect(await post('/emails', body)).toMatchObject({ status: 422 });
    expect(await post('/emails', body, headers)).toMatchObject({ status: 201, body: first.body });
    expect(await post('/emails', { ...body, subject: 'Other' }, headers)).toMatchObject({ status: 409 });
  });

  it('makes one mail of twins that run at once', async () => {
    const account = await gateway.account();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        post('/emails/batch', [mail({}, account), mail({}, account)], { 'idempotency-key': 'twins', ...as(account) }),
      ),
    );
    const ids = new Set(answers.filter((answer) => answer.status === 201).map((answer) => JSON.stringify(answer.body)));
    expect(ids.size).toBe(1);
    expect(answers.every((answer) => [201, 409].includes(answer.status))).toBe(true);
    expect(await mailsOf(account.accountId)).toBe(2);
  });

  it('keeps no key of a request that was refused', async () => {
    const headers = { 'idempotency-key': 'refused-first' };
    expect(await post('/emails', mail({ to: 'nobody' }), headers)).toMatchObject({ status: 400 });
    expect(await post('/emails', mail(), headers)).toMatchObject({ status: 201 });
  });
});

describe('the monthly allowance', () => {
  it('accepts exactly 100 of 200 parallel mails with 100 left', async () => {
    const account = await limited('100');
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const headers: Record<string, string> = i % 3 === 0 ? { 'idempotency-key': `race-${i}` } : {};
        return (await post('/emails', mail({}, account), { ...headers, ...as(account) })).status;
      }),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100);
    expect(await mailsOf(account.accountId)).toBe(100);
  });

  it('counts recipients, and leaves neighbours alone', async () => {
    const account = await limited('5');
    const three = mail({ to: ['a@x.example', 'b@x.example'], cc: 'c@x.example' }, account);
    expect(await post('/emails', three, as(account))).toMatchObject({ status: 201 });
    const refused = await post('/emails', three, as(account));
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'monthly_quota_exceeded', name: 'monthly_quota_exceeded' },
    });
    expect(refused.headers['retry-after']).toBeUndefined();
    expect(await post('/emails', mail({}, account), as(account))).toMatchObject({ status: 201 });
  });

  it('refuses a strict batch as a whole, and keeps of a permissive one what fits', async () => {
    const account = await limited('3');
    const batch = Array.from({ length: 5 }, () => mail({}, account));
    expect(await post('/emails/batch', batch, as(account))).toMatchObject({ status: 429 });
    const headers = { 'x-batch-validation': 'permissive', 'idempotency-key': 'what-fits' };
    const first = await post('/emails/batch', batch, { ...headers, ...as(account) });
    expect(first).toMatchObject({
      status: 201,
      body: [
        { object: 'email' },
        { object: 'email' },
        { object: 'email' },
        { object: 'error', index: 3, error: 'monthly_quota_exceeded' },
        { object: 'error', index: 4, error: 'monthly_quota_exceeded' },
      ],
    });
    expect(await post('/emails/batch', batch, { ...headers, ...as(account) })).toMatchObject({
      status: 201,
      body: first.body,
    });
    expect(await mailsOf(account.accountId)).toBe(3);
  });

  it('answers 422 to a permissive batch of which nothing fits, with every reason', async () => {
    const account = await limited('1');
    await post('/emails', mail({}, account), as(account));
    const headers = { 'x-batch-validation': 'permissive', ...as(account) };
    expect(await post('/emails/batch', [mail({}, account), mail({ to: 'nobody' }, account)], headers)).toMatchObject({
      status: 422,
      body: {
        errors: [
          { index: 0, error: 'monthly_quota_exceeded' },
          { index: 1, error: 'bad_request' },
        ],
      },
    });
  });

  it('costs a test key nothing', async () => {
    const account = await limited('1');
    const { token } = await gateway.app.get(ApiKeys).create(account.accountId, { name: 'Test', mode: 'test' });
    for (let i = 0; i < 3; i++)
      expect(await post('/emails', mail({}, account), as({ key: token }))).toMatchObject({ status: 201 });
    expect(await post('/emails', mail({ sandbox: true }, account), as(account))).toMatchObject({ status: 201 });
    expect(await post('/emails', mail({}, account), as(account))).toMatchObject({ status: 201 });
  });
});

describe('recipients that are named twice', () => {
  it('are kept at their first place, in the envelope and in what is shown', async () => {
    const made = await post(
      '/emails',
      mail({ to: ['a@b.example', 'A@b.example'], cc: ['N <a@b.example>', 'c@b.example'] }),
    );
    expect((await gateway.agent(own.key).get(`/emails/${String(made.body['id'])}`)).body).toMatchObject({
      to: ['a@b.example'],
      cc: ['c@b.example'],
      recipients: [{ address: 'a@b.example' }, { address: 'c@b.example' }],
    });
  });
});

describe('suppression_policy', () => {
  it('leaves suppressed recipients out with `skip`, and tells so', async () => {
    const account = await gateway.account();
    await suppress(account.accountId, 'no@example.com');
    const body = mail({ to: ['yes@example.com', 'No@example.com'], suppression_policy: 'skip' }, account);
    expect(await post('/emails', { ...body, suppression_policy: 'reject' }, as(account))).toMatchObject({
      status: 422,
      body: { details: [{ field: 'to[1]', code: 'suppressed' }] },
    });
    const made = await post('/emails', body, as(account));
    expect(made.status).toBe(201);
    const shown = (await gateway.agent(account.key).get(`/emails/${String(made.body['id'])}`)).body;
    expect(shown).toMatchObject({ status: 'queued', recipients: [{ status: 'queued' }, { status: 'suppressed' }] });
  });

  it('stores a mail that is left without recipients as suppressed', async () => {
    const account = await gateway.account();
    await suppress(account.accountId, 'no@example.com');
    const made = await post(
      '/emails',
      mail({ to: 'no@example.com', suppression_policy: 'skip' }, account),
      as(account),
    );
    const shown = (await gateway.agent(account.key).get(`/emails/${String(made.body['id'])}`)).body;
    expect(shown).toMatchObject({ status: 'suppressed', last_event: 'suppressed' });
  });
});

describe('the options of a mail', () => {
  it.each([
    [{ expires_in: 299 }, 'expires_in'],
    [{ expires_in: '3600' }, 'expires_in'],
    [{ expires_in: 300.5 }, 'expires_in'],
    [{ suppression_policy: 'ignore' }, 'suppression_policy'],
    [{ priority: 'high' }, 'priority'],
    [{ priority: 'Bulk' }, 'priority'],
    [{ priority: 1 }, 'priority'],
    [{ list_unsubscribe: {} }, 'list_unsubscribe'],
    [{ list_unsubscribe: { url: 'http://example.com' } }, 'list_unsubscribe.url'],
    [{ list_unsubscribe: { url: 'https://example.com/\r\nBcc: x@y' } }, 'list_unsubscribe.url'],
    [{ list_unsubscribe: { mailto: 'a@b.example>, <c@d.example' } }, 'list_unsubscribe.mailto'],
    [{ list_unsubscribe: { one_click: false } }, 'list_unsubscribe'],
    [{ list_unsubscribe: { one_click: 'yes' } }, 'list_unsubscribe.one_click'],
    [{ list_unsubscribe: false }, 'list_unsubscribe'],
    [{ list_unsubscribe: true, headers: { 'List-Unsubscribe-Post': 'x' } }, 'headers.List-Unsubscribe-Post'],
    [
      { list_unsubscribe: { url: 'https://example.com' }, headers: { 'list-unsubscribe': 'x' } },
      'headers.list-unsubscribe',
    ],
    [{ reply_to: 'a@b.example', headers: { 'Reply-To': 'c@d.example' } }, 'headers.Reply-To'],
    [{ sandbox: 'true' }, 'sandbox'],
    [{ sandbox_result: 'bounced' }, 'sandbox_result'],
    [{ sandbox: true, sandbox_result: 'lost' }, 'sandbox_result'],
    [
      {
        tags: [
          { name: 'a', value: 'b' },
          { name: 'a', value: 'c' },
        ],
      },
      'tags[1]',
    ],
    [{ tags: ['a'] }, 'tags[0]'],
  ])('refuses %j, naming %s', async (over, field) => {
    const { status, body } = await post('/emails', mail(over));
    expect([status, body]).toMatchObject([400, { details: [{ field }] }]);
  });

  it('tells test mail apart, in the mail and in lists', async () => {
    const account = await gateway.account();
    for (const sandbox of [true, false]) await post('/emails', mail({ sandbox }, account), as(account));
    const list = (await gateway.agent(account.key).get('/emails')).body as {
      data: { id: string; mode: string }[];
    };
    expect(list.data.map((email) => email.mode)).toEqual(['live', 'test']);
    const { id } = list.data[1];
    expect((await gateway.agent(account.key).get(`/emails/${id}`)).body).toMatchObject({ mode: 'test' });
  });

  it('shows the priority, which is transactional unless the mail says bulk', async () => {
    const priorityOf = async (id: unknown) =>
      ((await gateway.agent(own.key).get(`/emails/${String(id)}`)).body as { priority: string }).priority;
    expect(await priorityOf((await post('/emails', mail())).body['id'])).toBe('transactional');
    expect(await priorityOf((await post('/emails', mail({ priority: 'bulk' }))).body['id'])).toBe('bulk');
    const batch = await post('/emails/batch', [mail({ priority: 'bulk' }), mail({ priority: 'transactional' })]);
    const ids = (batch.body as unknown as { id: string }[]).map(({ id }) => id);
    expect(await Promise.all(ids.map((id) => priorityOf(id)))).toEqual(['bulk', 'transactional']);
  });

  it('takes tags as a list of pairs too', async () => {
    const { body } = await post('/emails', mail({ tags: [{ name: 'order', value: '4711' }] }));
    expect((await gateway.agent(own.key).get(`/emails/${String(body['id'])}`)).body).toMatchObject({
      tags: { order: '4711' },
    });
  });
});
