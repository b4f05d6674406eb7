import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { emailFrom, GraphqlRequests, SEND_EMAIL, type Entry } from '../../support/rest/graphql-requests.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

type Account = Awaited<ReturnType<GatewayApp['account']>>;

let gateway: GatewayApp;
let own: Account;
let other: Account;
let requests: GraphqlRequests;
let receiver: WebhookReceiver;
beforeAll(async () => {
  gateway = await sharedGateway();
  [own, other] = [await gateway.account(), await gateway.account()];
  requests = new GraphqlRequests(gateway, own.key);
  receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.close());
const data: GraphqlRequests['data'] = (...request) => requests.data(...request);
const refusal: GraphqlRequests['refusal'] = (...request) => requests.refusal(...request);
const message = (over: object = {}) => emailFrom(own.domain, over);

describe('domains', () => {
  it('are created, changed, verified, rotated and deleted', async () => {
    const name = `graphql-${Date.now()}.example.org`;
    const { createDomain } = await data(
      `mutation ($input: CreateDomainInput!) { createDomain(input: $input) {
        id name status openTracking tls dkim { rotation { status } cnames { name } } records { record lastCheckedAt } } }`,
      { input: { name } },
    );
    expect(createDomain).toMatchObject({ name, status: 'pending', openTracking: false, dkim: { rotation: null } });
    const { id } = createDomain;
    expect((await data('query ($id: ID!) { domain(id: $id) { name } }', { id }))['domain']).toEqual({ name });
    const advice = 'query ($id: ID!) { domain(id: $id) { advice { code severity message page publish { name } } } }';
    const expected = [
      { code: 'record_pending', severity: 'warning', page: 'records', publish: null },
      { code: 'no_return_path', severity: 'info', page: null, publish: { name: `bounces.${name}` } },
      { code: 'no_tls_reports', severity: 'info', publish: { name: `_smtp._tls.${name}` } },
    ];
    expect(await data(advice, { id })).toMatchObject({ domain: { advice: expected } });
    const update = `mutation ($id: ID!, $input: UpdateDomainInput!) {
      updateDomain(id: $id, input: $input) { tls envelope trackingPrivacy trackingExclude } }`;
    expect(
      (await data(update, { id, input: { tls: 'enforced', envelope: null, trackingExclude: ['a.example'] } }))[
        'updateDomain'
      ],
    ).toEqual({ tls: 'enforced', envelope: 'shared', trackingPrivacy: false, trackingExclude: ['a.example'] });
    expect(await refusal(update, { id, input: { trackingExclude: ['https://a'] } })).toMatchObject({
      details: [{ field: 'trackingExclude' }],
    });
    for (const field of ['verifyDomain', 'rotateDomainKey', 'cancelDomainKeyRotation'])
      expect(
        (await requests.ask(`mutation ($id: ID!) { ${field}(id: $id) { id } }`, { id })).data?.[field] ?? id,
      ).toBeTruthy();
    const remove = 'mutation ($id: ID!) { deleteDomain(id: $id) { id deleted } }';
    expect(await refusal(remove, { id }, other.key)).toMatchObject({ code: 'not_found' });
    expect(await data(remove, { id })).toEqual({ deleteDomain: { id, deleted: true } });
    expect((await data('query ($id: ID!) { domain(id: $id) { name } }', { id }))['domain']).toBeNull();
    expect(await refusal('mutation { createDomain(input: {name: "co.uk"}) { id } }')).toMatchObject({
      code: 'bad_request',
      details: [{ field: 'name' }],
    });
  });
});

describe('webhooks', () => {
  it('are created, read with their deliveries and calls, changed, tested, replayed and deleted', async () => {
    const { createWebhook } = await data(
      `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id secret events includeBots domainIds } }`,
      { input: { url: receiver.url('/graphql'), events: ['*'] } },
    );
    expect(createWebhook).toMatchObject({ events: ['*'], includeBots: false, domainIds: null });
    const { id } = createWebhook;
    const { testWebhook } = await data('mutation ($id: ID!) { testWebhook(id: $id) { id type status deliveryId } }', {
      id,
    });
    expect(testWebhook).toMatchObject({ type: 'webhook.test', status: 'pending' });
    const { webhook } = await data(
      `query ($id: ID!, $event: ID!) { webhook(id: $id) { url status
        deliveries(first: 1, filter: {status: pending}) { nodes { id payload calls { nodes { id httpStatusCode } } } }
        delivery(eventId: $event) { id attempts } } }`,
      { id, event: testWebhook.id },
    );
    expect(webhook).toMatchObject({
      status: 'enabled',
      deliveries: { nodes: [{ id: testWebhook.id, payload: { type: 'webhook.test' }, calls: { nodes: [] } }] },
      delivery: { id: testWebhook.id, attempts: 0 },
    });
    const figures = 'figures { pending inFlight lagSeconds window last24Hours { delivered failed successRate } }';
    expect((await data(`{ webhooks { id ${figures} } }`))['webhooks']).toContainEqual({
      id,
      figures: {
        pending: 1,
        inFlight: 0,
        lagSeconds: expect.any(Number) as number,
        window: 10,
        last24Hours: { delivered: 0, failed: 0, successRate: null },
      },
    });
    const again = 'mutation ($id: ID!, $event: ID!) { replayWebhookEvent(webhookId: $id, eventId: $event) { id } }';
    expect((await data(again, { id, event: testWebhook.id }))['replayWebhookEvent']).toEqual({ id: testWebhook.id });
    expect(await refusal(again, { id, event: 'evt_nothing' })).toMatchObject({ code: 'not_found' });
    const replay = `mutation ($id: ID!, $input: ReplayWebhookInput!) {
      replayWebhook(id: $id, input: $input) { id webhookId status queued nextCursor } }`;
    expect((await data(replay, { id, input: { from: '2020-01-01T00:00:00Z' } }))['replayWebhook']).toMatchObject({
      webhookId: id,
      status: 'running',
      queued: 0,
    });
    const rotate = 'mutation ($id: ID!) { rotateWebhookSecret(id: $id) { id secret previousSecretExpiresAt } }';
    expect((await data(rotate, { id }))['rotateWebhookSecret'].secret).not.toBe(createWebhook.secret);
    const update = `mutation ($id: ID!, $input: UpdateWebhookInput!) {
      updateWebhook(id: $id, input: $input) { status disabledReason events } }`;
    expect(
      (await data(update, { id, input: { status: 'disabled', events: ['email.bounced'] } }))['updateWebhook'],
    ).toEqual({
      status: 'disabled',
      disabledReason: 'manual',
      events: ['email.bounced'],
    });
    expect(await refusal(update, { id, input: { domainIds: [other.domainId] } })).toMatchObject({
      details: [{ field: 'domainIds[0]' }],
    });
    expect(await refusal('mutation ($id: ID!) { testWebhook(id: $id) { id } }', { id })).toMatchObject({
      code: 'conflict',
    });
    expect((await data('{ webhooks { id } }'))['webhooks']).toEqual([{ id }]);
    expect(await data('mutation ($id: ID!) { deleteWebhook(id: $id) { id deleted } }', { id })).toEqual({
      deleteWebhook: { id, deleted: true },
    });
    expect((await data('query ($id: ID!) { webhook(id: $id) { id } }', { id }))['webhook']).toBeNull();
  });
});

describe('suppressions', () => {
  it('are added, listed, read and removed', async () => {
    const add = `mutation ($input: AddSuppressionsInput!) {
      addSuppressions(input: $input) { created suppression { id email origin scope expiresAt evidence { text } } } }`;
    const entries = [
      { email: 'One@Example.net', reason: 'asked', expiresAt: '2090-01-01T00:00:00Z', domainId: own.domainId },
    ];
    const { addSuppressions } = await data(add, { input: { entries } });
    expect(addSuppressions).toMatchObject([
      { created: true, suppression: { email: 'one@example.net', origin: 'manual', scope: 'domain', evidence: null } },
    ]);
    expect(
      (await data(add, { input: { emails: ['two@example.net', 'two@example.net'] } }))['addSuppressions'],
    ).toHaveLength(2);
    expect(await refusal(add, { input: {} })).toMatchObject({ name: 'missing_required_field' });
    expect(
      await refusal(add, { input: { entries: [{ email: 'x@example.net', domainId: other.domainId }] } }),
    ).toMatchObject({
      details: [{ field: 'entries[0].domainId', code: 'unknown_domain' }],
    });
    const list = 'query ($filter: SuppressionFilter) { suppressions(filter: $filter) { nodes { id email } } }';
    expect(
      (await data(list, { filter: { q: '@example.net', domainId: own.domainId, expired: true } }))['suppressions']
        .nodes,
    ).toMatchObject([{ email: 'one@example.net' }]);
    const { id } = (addSuppressions as unknown as Entry[])[0].suppression;
    const read = 'query ($email: String!, $domain: ID) { suppression(email: $email, domainId: $domain) { id } }';
    expect((await data(read, { email: id }))['suppression']).toEqual({ id });
    expect((await data(read, { email: 'one@example.net', domain: own.domainId }))['suppression']).toEqual({ id });
    expect((await data(read, { email: 'one@example.net' }))['suppression']).toBeNull();
    const remove = `mutation ($input: RemoveSuppressionsInput!) {
      removeSuppressions(input: $input) { index id email error { code message } } }`;
    expect(
      (await data(remove, { input: { ids: [id, id.replace(/....$/, 'ffff')] } }))['removeSuppressions'],
    ).toMatchObject([
      { index: 0, id, email: 'one@example.net', error: null },
      { index: 1, id: null, error: { code: 'not_found' } },
    ]);
    expect(await refusal(SEND_EMAIL, { input: message({ to: ['two@example.net'] }) })).toMatchObject({
      code: 'unprocessable_entity',
    });
  });
});

describe('API keys', () => {
  it('are created, listed, changed and deleted, also by themselves', async () => {
    const create = `mutation ($input: CreateApiKeyInput!) {
      createApiKey(input: $input) { id token mode permission scopes domainIds allowedIps } }`;
    const input = { name: 'narrow', scopes: ['domains.read'], domainIds: [own.domainId], allowedIps: ['127.0.0.0/8'] };
    const { createApiKey } = await data(create, { input });
    expect(createApiKey).toMatchObject({ mode: 'live', permission: null, scopes: ['domains.read'] });
    expect(await refusal(create, { input: { name: 'x', scopes: ['everything'] } })).toMatchObject({
      details: [{ field: 'scopes[0]' }],
    });
    const { id, token } = createApiKey;
    const update = `mutation ($id: ID!, $input: UpdateApiKeyInput!) {
      updateApiKey(id: $id, input: $input) { name allowedIps expiresAt enabled } }`;
    expect((await data(update, { id, input: { name: 'wide', allowedIps: null } }))['updateApiKey']).toEqual({
      name: 'wide',
      allowedIps: null,
      expiresAt: null,
      enabled: true,
    });
    expect((await data('{ apiKeys { id } }'))['apiKeys']).toContainEqual({ id });
    expect((await data('query ($id: ID!) { apiKey(id: $id) { name } }', { id }))['apiKey']).toEqual({ name: 'wide' });
    const remove = 'mutation ($id: ID!) { deleteApiKey(id: $id) { id deleted } }';
    const keys = (await data('{ apiKeys { id name } }'))['apiKeys'] as unknown as Entry[];
    const keyId = keys.find(({ name }) => name === 'Test')?.id;
    expect(await refusal(remove, { id: keyId }, token)).toMatchObject({ name: 'restricted_api_key' });
    expect(await data(remove, { id }, token)).toEqual({ deleteApiKey: { id, deleted: true } });
    const audit = 'query ($filter: AuditLogFilter) { auditLog(filter: $filter) { nodes { action actor details } } }';
    const [deleted, updated, created] = (await data(audit, { filter: { target: id, action: 'api_key' } }))['auditLog']
      .nodes;
    expect(created).toMatchObject({ action: 'api_key.created', details: { name: input.name } });
    expect(updated).toMatchObject({
      action: 'api_key.updated',
      details: { name: 'wide', fields: ['name', 'allowed_ips'] },
    });
    expect(deleted).toMatchObject({ action: 'api_key.deleted', actor: id });
    expect((await data('query ($id: ID!) { apiKey(id: $id) { name } }', { id }))['apiKey']).toBeNull();
  });
});

describe('the account', () => {
  it('is shown and changed', async () => {
    const { updateAccount } = await data(
      'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { name notifyAddresses } }',
      { input: { name: 'Ours', notifyAddresses: ['ops@example.com'] } },
    );
    expect(updateAccount).toEqual({ name: 'Ours', notifyAddresses: ['ops@example.com'] });
    expect((await data('{ account { id name plan status sendingPause { reason } } }'))['account']).toMatchObject({
      id: own.accountId,
      name: 'Ours',
      status: 'active',
      sendingPause: null,
    });
    const relay = '{ account { capturesEmails smtpRelay { host starttlsPort tlsPort hasSelfSignedCertificate } } }';
    expect((await data(relay))['account']).toEqual({
      capturesEmails: true,
      smtpRelay: { host: 'localhost', starttlsPort: 2587, tlsPort: 2465, hasSelfSignedCertificate: true },
    });
    expect(await refusal('mutation { updateAccount(input: {notifyAddresses: ["x"]}) { id } }')).toMatchObject({
      code: 'bad_request',
      details: [{ field: 'notifyAddresses[0]' }],
    });
  });

  it('shows its audit log, over REST too', async () => {
    const list =
      '{ auditLog(first: 1) { nodes { id actor action target details createdAt } pageInfo { hasNextPage } } }';
    const { nodes } = (await data(list))['auditLog'];
    const { body } = (await gateway.agent(own.key).get('/audit-log?limit=1')) as { body: { data: Entry[] } };
    expect(nodes).toMatchObject([{ id: body.data[0].id, action: expect.stringContaining('.') as string }]);
    expect((await data(list, {}, other.key))['auditLog'].nodes).toEqual([]);
    expect((await gateway.agent(own.key).get(`/audit-log?before=${nodes[0].id}`)).body).toMatchObject({ data: [] });
  });

  it('shows what waits, over REST too', async () => {
    const input = message({ to: ['waiting@queue.example'] });
    await data('mutation ($input: SendEmailInput!) { sendEmail(input: $input) { id } }', { input });
    const list = '{ queues { domain provider recipients waitingFor reason since } }';
    const waiting = { domain: 'queue.example', recipients: 1 };
    await expect.poll(async () => (await data(list))['queues']).toContainEqual(expect.objectContaining(waiting));
    const { body } = (await gateway.agent(own.key).get('/queues')) as { body: { data: object[] } };
    expect(body.data).toContainEqual(expect.objectContaining({ object: 'queue', ...waiting }));
    expect((await gateway.agent(other.key).get('/queues')).body).toMatchObject({ data: [] });
  });
});
