import { beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { emailFrom, GraphqlRequests, SEND_EMAIL } from '../../support/rest/graphql-requests.js';

type Account = Awaited<ReturnType<GatewayApp['account']>>;

let gateway: GatewayApp;
let own: Account;
let other: Account;
let requests: GraphqlRequests;

beforeAll(async () => {
  gateway = await sharedGateway();
  [own, other] = [await gateway.account(), await gateway.account()];
  requests = new GraphqlRequests(gateway, own.key);
});

const data: GraphqlRequests['data'] = (...request) => requests.data(...request);
const refusal: GraphqlRequests['refusal'] = (...request) => requests.refusal(...request);
const message = (over: object = {}) => emailFrom(own.domain, over);
const send = async (over: object = {}) => (await data(SEND_EMAIL, { input: message(over) }))['sendEmail'].id;

describe('sendEmail', () => {
  it('sends an email with every option, as REST shows it then', async () => {
    const input = message({
      cc: ['c@example.com'],
      replyTo: ['r@example.com'],
      text: 'x',
      headers: [{ name: 'X-Order', value: '4711' }],
      tags: [{ key: 'kind', value: 'order' }],
      attachments: [{ filename: 'a.txt', content: 'aGk=', contentType: 'text/plain', contentId: 'logo' }],
      scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
      suppressionPolicy: 'skip',
      priority: 'bulk',
      expiresIn: 3600,
      listUnsubscribe: { oneClick: true },
      sandbox: true,
      sandboxResult: 'delivered',
      tracking: null,
    });
    const { sendEmail } = await data(SEND_EMAIL, { input });
    expect(sendEmail).toMatchObject({ replayed: false, email: { status: 'scheduled', tags: [{ key: 'kind' }] } });
    expect((await gateway.agent(own.key).get(`/emails/${sendEmail.id}`)).body).toMatchObject({
      cc: ['c@example.com'],
      reply_to: ['r@example.com'],
      headers: { 'X-Order': '4711' },
      attachments: [{ filename: 'a.txt', content_id: 'logo', size: 2 }],
      mode: 'test',
      priority: 'bulk',
    });
  });

  it('refuses with the code, the details and the names of the schema', async () => {
    expect(await refusal(SEND_EMAIL, { input: message({ replyTo: ['nobody'], html: null }) })).toMatchObject({
      code: 'bad_request',
      name: 'missing_required_field',
      statusCode: 400,
      details: [
        { field: 'html', code: 'required' },
        { field: 'replyTo[0]', code: 'invalid_address' },
      ],
    });
    expect(await refusal(SEND_EMAIL, { input: message({ from: 'a@elsewhere.example' }) })).toMatchObject({
      code: 'unprocessable_entity',
      name: 'invalid_from_address',
      statusCode: 422,
    });
    expect(
      await refusal(SEND_EMAIL, { input: message({ headers: [1, 2].map(() => ({ name: 'X-A', value: '1' })) }) }),
    ).toMatchObject({ details: [{ field: 'headers[1].name', code: 'duplicate' }] });
  });

  it('repeats the result for the same key and input, whatever the order of the members', async () => {
    const key = 'order-1';
    const first = (await data(SEND_EMAIL, { input: message(), key }))['sendEmail'] as { id: string };
    const { to, ...input } = message();
    expect((await data(SEND_EMAIL, { input: { to, ...input }, key }))['sendEmail']).toMatchObject({
      id: first.id,
      replayed: true,
    });
    expect(await refusal(SEND_EMAIL, { input: message({ subject: 'Ho' }), key })).toMatchObject({
      code: 'conflict',
      name: 'invalid_idempotent_request',
    });
    expect(await refusal(SEND_EMAIL, { input: message(), key: 'é' })).toMatchObject({
      name: 'invalid_idempotency_key',
    });
  });

  it('gives a key that may only send the id, and not the email', async () => {
    const { key, domain } = await gateway.account('sending_access');
    const input = message({ from: `a@${domain}` });
    const only = 'mutation ($input: SendEmailInput!) { sendEmail(input: $input) { id } }';
    expect((await data(only, { input }, key))['sendEmail'].id).toMatch(/^em_/);
    expect(await refusal(SEND_EMAIL, { input }, key)).toMatchObject({ code: 'forbidden', name: 'restricted_api_key' });
  });
});

describe('sendBatch', () => {
  const BATCH = `mutation ($input: SendBatchInput!, $key: String) {
    sendBatch(input: $input, idempotencyKey: $key) { replayed results { id error { code field } } } }`;
  const bad = () => message({ to: ['nobody'] });

  it('refuses the whole batch by default, and names each invalid email', async () => {
    const answer = await refusal(BATCH, { input: { emails: [message(), bad()] } });
    expect(answer).toMatchObject({
      code: 'bad_request',
      details: [{ field: '[1].to[0]' }],
      errors: [{ index: 1, field: 'to[0]' }],
    });
    expect(await refusal(BATCH, { input: { emails: [] } })).toMatchObject({ details: [{ code: 'invalid_batch' }] });
  });

  it('sends the valid emails of a permissive batch, once per key', async () => {
    const input = { emails: [message(), bad()], validation: 'permissive' };
    const { sendBatch } = await data(BATCH, { input, key: 'batch-1' });
    expect(sendBatch).toMatchObject({
      replayed: false,
      results: [
        { id: expect.stringMatching(/^em_/), error: null },
        { id: null, error: { code: 'bad_request', field: 'to[0]' } },
      ],
    });
    const again = await data(BATCH, { input, key: 'batch-1' });
    expect(again['sendBatch']).toEqual({ ...sendBatch, replayed: true });
    expect(await refusal(BATCH, { input: { emails: [message()] }, key: 'batch-1' })).toMatchObject({
      code: 'conflict',
    });
  });
});

describe('emails', () => {
  const LIST = `query ($first: Int, $after: ID, $last: Int, $before: ID, $filter: EmailFilter) {
    emails(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
      edges { cursor node { id } } nodes { id subject }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

  it('are listed on the cursors of REST, forwards and backwards', async () => {
    const { accountId: _, ...account } = await gateway.account();
    const from = `a@${account.domain}`;
    const ids: string[] = [];
    for (const subject of ['one', 'two', 'three'])
      ids.unshift((await data(SEND_EMAIL, { input: message({ from, subject }) }, account.key))['sendEmail'].id);
    const { emails } = await data(LIST, { first: 2 }, account.key);
    expect(emails).toMatchObject({
      edges: [{ cursor: ids[0], node: { id: ids[0] } }, { cursor: ids[1] }],
      nodes: [{ subject: 'three' }, { subject: 'two' }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: ids[0], endCursor: ids[1] },
    });
    const next = (await data(LIST, { first: 2, after: ids[1] }, account.key))['emails'];
    expect(next).toMatchObject({ nodes: [{ id: ids[2] }], pageInfo: { hasNextPage: false, hasPreviousPage: true } });
    const back = (await data(LIST, { last: 1, before: ids[2] }, account.key))['emails'];
    expect(back).toMatchObject({
      nodes: [{ id: ids[1] }],
      pageInfo: { hasNextPage: true, hasPreviousPage: true, startCursor: ids[1], endCursor: ids[1] },
    });
  });

  it('are filtered as over REST', async () => {
    const tag = `t${Date.now()}`;
    const id = await send({ tags: [{ key: 'campaign', value: tag }], subject: 'Filtered' });
    for (const filter of [
      { tags: [{ key: 'campaign', value: tag }] },
      { tags: [{ key: 'campaign', value: tag }], status: 'queued', lastEvent: 'queued', to: 'b@example.com' },
      {
        tags: [{ key: 'campaign', value: tag }],
        domain: own.domain,
        subject: 'filt',
        createdAfter: '2020-01-01T00:00:00Z',
        scheduled: false,
      },
      { tags: [{ key: 'campaign', value: tag }], recipientDomain: 'EXAMPLE.com', waiting: true },
    ])
      expect((await data(LIST, { filter }))['emails'].nodes).toEqual([{ id, subject: 'Filtered' }]);
    for (const none of [{ scheduled: true }, { recipientDomain: 'other.example' }])
      expect(
        (await data(LIST, { filter: { tags: [{ key: 'campaign', value: tag }], ...none } }))['emails'].nodes,
      ).toEqual([]);
  });

  it.each<[string, object, object]>([
    ['a size out of range', { first: 101 }, { details: [{ field: 'first', code: 'invalid_parameter' }] }],
    ['a negative size', { first: -1 }, { details: [{ field: 'first' }] }],
    ['two sizes', { first: 1, last: 1 }, { details: [{ field: 'last', code: 'exclusive' }] }],
    ['last without before', { last: 1 }, { details: [{ field: 'last' }] }],
    ['a cursor that is none', { after: 'x' }, { details: [{ field: 'after', code: 'invalid_cursor' }] }],
    [
      'both cursors',
      { first: 1, after: 'em_1', before: 'em_1' },
      { details: [{ field: 'before', code: 'exclusive' }] },
    ],
    ['a filter with spaces', { filter: { to: 'a b' } }, { details: [{ field: 'to' }] }],
    ['an address as a domain', { filter: { recipientDomain: 'b@example.com' } }, { code: 'bad_request' }],
    ['a bad tag key', { filter: { tags: [{ key: ']', value: 'x' }] } }, { code: 'bad_request' }],
    [
      'a word that is no status',
      { filter: { status: 'lost' } },
      { details: [{ field: 'status', code: 'invalid_type' }] },
    ],
    ['a time that is none', { filter: { createdAfter: 'today' } }, { details: [{ code: 'invalid_type' }] }],
    ['an unknown member', { filter: { colour: 'red' } }, { details: [{ code: 'invalid_type' }] }],
    ['text instead of a number', { first: 'ten' }, { details: [{ field: 'first', code: 'invalid_type' }] }],
  ])('refuse %s', async (_, variables, expected) => {
    expect(await refusal(LIST, variables)).toMatchObject({ code: 'bad_request', statusCode: 400, ...expected });
  });

  it('reach their events, attempts, explanation, content and domain', async () => {
    const id = await send({
      headers: [{ name: 'X-A', value: '1' }],
      attachments: [{ filename: 'a.txt', content: 'aGk=' }],
    });
    const { email } = await data(
      `query ($id: ID!) { email(id: $id) { html text recipients { address status visits { opens } } retryOf mode
        tracking { opens } headers { name value } attachments { filename downloadUrl }
        content { html text headers { name value } attachments { id filename size } }
        events(first: 5) { nodes { id type createdAt data } pageInfo { hasNextPage } }
        attempts { nodes { id outcome } }
        explanation { status recipients { address waitingFor because } }
        domain { id name } } }`,
      { id },
    );
    expect(email).toMatchObject({
      html: '<p>x</p>',
      text: null,
      retryOf: null,
      tracking: null,
      recipients: [{ address: 'b@example.com', status: 'queued', visits: null }],
      headers: [{ name: 'X-A', value: '1' }],
      attachments: [{ filename: 'a.txt', downloadUrl: expect.stringContaining('/download?token=') }],
      content: { html: '<p>x</p>', attachments: [{ filename: 'a.txt', size: 2 }] },
      events: { nodes: [{ type: 'email.queued', data: { to: ['b@example.com'] } }] },
      attempts: { nodes: [] },
      explanation: { status: 'queued', recipients: [{ address: 'b@example.com', waitingFor: 'worker' }] },
      domain: { id: own.domainId, name: own.domain },
    });
    expect((await data('query ($id: ID!) { email(id: $id) { id } }', { id }, other.key))['email']).toBeNull();
    expect((await data('{ email(id: "nothing") { id } }'))['email']).toBeNull();
  });

  it('are rescheduled, canceled and retried under the same conditions as over REST', async () => {
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const id = await send({ scheduledAt: at(1) });
    const reschedule = `mutation ($id: ID!, $input: RescheduleEmailInput!) {
      rescheduleEmail(id: $id, input: $input) { id scheduledAt } }`;
    const later = at(2);
    expect(await data(reschedule, { id, input: { scheduledAt: later } })).toEqual({
      rescheduleEmail: { id, scheduledAt: later },
    });
    expect(await refusal(reschedule, { id, input: { scheduledAt: at(100) } })).toMatchObject({
      details: [{ field: 'scheduledAt' }],
    });
    const cancel = 'mutation ($id: ID!) { cancelEmail(id: $id) { id status } }';
    expect(await data(cancel, { id })).toEqual({ cancelEmail: { id, status: 'canceled' } });
    expect(await refusal(cancel, { id })).toMatchObject({ code: 'conflict', details: [{ code: 'not_cancelable' }] });
    const retry = 'mutation ($id: ID!) { retryEmail(id: $id) { id retryOf } }';
    expect(await refusal(retry, { id })).toMatchObject({ code: 'conflict', details: [{ code: 'not_retryable' }] });
    expect(await refusal(retry, { id }, other.key)).toMatchObject({ code: 'not_found' });
  });
});

describe('the other queries', () => {
  it('give the events in the order of the log, and one by its id', async () => {
    const id = await send({ subject: 'Logged' });
    const list = `query ($emailId: ID, $types: [String!], $after: ID) {
      events(first: 5, emailId: $emailId, types: $types, after: $after) {
        nodes { id type emailId domainId recipient position data } pageInfo { endCursor } } }`;
    await expect
      .poll(async () => (await data(list, { emailId: id, types: ['email.queued', 'email.sent'] }))['events'].nodes)
      .toMatchObject([
        { type: 'email.queued', emailId: id, domainId: own.domainId, position: expect.stringMatching(/^\d+$/) },
      ]);
    const filtered = `query ($emailId: ID, $recipient: String, $from: DateTime, $to: DateTime) {
      events(first: 1, emailId: $emailId, recipient: $recipient, createdAfter: $from, createdBefore: $to) { nodes { type } } }`;
    const [past, future] = [-60_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const found = async (variables: object) =>
      (await data(filtered, { emailId: id, ...variables }))['events'].nodes.length;
    expect(await found({ recipient: 'B@example.com', from: past, to: future })).toBe(1);
    expect(await found({ recipient: 'c@example.com' })).toBe(0);
    expect(await found({ from: future })).toBe(0);
    expect(await found({ to: past })).toBe(0);
    const { events } = await data(list, { emailId: id });
    expect((await data('query ($id: ID!) { event(id: $id) { id } }', { id: events.nodes[0].id }))['event']).toEqual({
      id: events.nodes[0].id,
    });
    expect(await refusal(list, { types: ['email.lost'] })).toMatchObject({ details: [{ field: 'type' }] });
    expect(await refusal(list, { after: events.nodes[0].id }, other.key)).toMatchObject({
      details: [{ field: 'after', code: 'invalid_cursor' }],
    });
  });

  it('give usage, statistics and captured messages', async () => {
    gateway.counts.accepted = 7;
    const found =
      await data(`{ usage { plan unit limit used remaining rateLimitPerSecond months { month accepted delivered } }
      stats(input: {metrics: ["accepted"], dimensions: ["period"], granularity: hour, groupBy: ["tag:kind"]}) {
        granularity metrics dimensions groupBy totals { accepted deliveryRate sent }
        data { period domainId tags { key value } accepted } }
      capturedEmails(first: 1, filter: {to: "a@example.com"}) { nodes { id } pageInfo { hasNextPage } } }`);
    const { months } = found['usage'] as unknown as {
      months: { month: string; accepted: number; delivered: number }[];
    };
    const thisMonth = new Date().toISOString().slice(0, 7);
    expect(months.map(({ accepted }) => accepted)).toEqual([7, ...Array.from({ length: 11 }, () => 0)]);
    expect(months[11]).toEqual({ month: thisMonth, accepted: 0, delivered: 0 });
    expect(months[0].month.slice(5)).toBe(String((Number(thisMonth.slice(5)) % 12) + 1).padStart(2, '0'));
    expect(found).toMatchObject({
      usage: { plan: 'unlimited', unit: 'recipient', limit: null },
      stats: {
        granularity: 'hour',
        dimensions: ['period'],
        totals: { accepted: 7, deliveryRate: null, sent: null },
        data: [{ domainId: null, tags: [{ key: 'kind', value: 'a' }], accepted: 7 }],
      },
      capturedEmails: { nodes: [], pageInfo: { hasNextPage: false } },
    });
    expect(await refusal('{ stats(input: {timezone: "Mars"}) { timezone } }')).toMatchObject({
      details: [{ field: 'timezone' }],
    });
    expect((await data('mutation { deleteCapturedEmails { count } }'))['deleteCapturedEmails']).toEqual({ count: 0 });
  });

  it('give the request log', async () => {
    await gateway.agent(own.key).get('/emails/none');
    const list = `{ requestLog(first: 5, filter: {status: "404", method: "GET"}) {
      nodes { id endpoint responseStatus apiKeyId latencyMs } } }`;
    await expect
      .poll(async () => (await data(list))['requestLog'].nodes.length, { timeout: 10_000 })
      .toBeGreaterThan(0);
    const [entry] = (await data(list))['requestLog'].nodes as { id: string; responseStatus: number }[];
    expect(entry.responseStatus).toBe(404);
    expect(
      (await data('query ($id: ID!) { loggedRequest(id: $id) { id } }', { id: entry.id }))['loggedRequest'],
    ).toEqual({
      id: entry.id,
    });
  });
});
