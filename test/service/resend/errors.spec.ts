import type { ErrorResponse } from 'resend';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '#libs/accounts';
import { sharedGateway, startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { good, refused, resendClient } from '../../support/resend/resend-client.js';

type Client = ReturnType<typeof resendClient>;
let gateway: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;
let resend: Client;

beforeAll(async () => {
  gateway = await sharedGateway();
});
beforeEach(async () => {
  own = await gateway.account();
  resend = resendClient(gateway.url, own.key);
});

const NOBODYS = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';
const mail = (over: object = {}) => ({
  from: `orders@${own.domain}`,
  to: 'ada@example.com',
  subject: 'Hello',
  text: 'Hi',
  ...over,
});

/** Calls that are good but for who makes them. */
const CALLS: [name: string, scope: string, call: (client: Client) => Promise<unknown>][] = [
  ['emails.send', 'emails.send', (client) => client.emails.send(mail())],
  ['batch.send', 'emails.send', (client) => client.batch.send([mail()])],
  ['emails.update', 'emails.send', (client) => client.emails.update({ id: NOBODYS, scheduledAt: 'in 1 min' })],
  ['emails.cancel', 'emails.send', (client) => client.emails.cancel(NOBODYS)],
  ['emails.get', 'emails.read', (client) => client.emails.get(NOBODYS)],
  ['emails.list', 'emails.read', (client) => client.emails.list()],
  ['emails.attachments.list', 'emails.read', (client) => client.emails.attachments.list({ emailId: NOBODYS })],
  [
    'emails.attachments.get',
    'emails.read',
    (client) => client.emails.attachments.get({ emailId: NOBODYS, id: NOBODYS }),
  ],
  ['emails.metrics', 'stats.read', (client) => client.emails.metrics()],
  ['suppressions.add', 'suppressions.write', (client) => client.suppressions.add({ email: 'a@example.com' })],
  ['suppressions.list', 'suppressions.read', (client) => client.suppressions.list()],
  ['suppressions.get', 'suppressions.read', (client) => client.suppressions.get('a@example.com')],
  ['suppressions.remove', 'suppressions.write', (client) => client.suppressions.remove('a@example.com')],
  [
    'suppressions.batch.add',
    'suppressions.write',
    (client) => client.suppressions.batch.add({ emails: ['a@example.com'] }),
  ],
  ['suppressions.batch.remove', 'suppressions.write', (client) => client.suppressions.batch.remove({ ids: [NOBODYS] })],
  ['logs.list', 'api_keys.read', (client) => client.logs.list()],
  ['logs.get', 'api_keys.read', (client) => client.logs.get(NOBODYS)],
  ['usage.get', 'stats.read', (client) => client.usage.get()],
];
const answered = (call: (client: Client) => Promise<unknown>, client: Client) =>
  refused(call(client) as Promise<{ data: unknown; error: ErrorResponse | null }>);

describe.each(CALLS)('resend.%s', (_, scope, call) => {
  it('needs a key that is known, and may do that', async () => {
    expect(await answered(call, resendClient(gateway.url, 're_123'))).toEqual([403, 'invalid_api_key']);
    const { key } = await gateway.account('sending_access');
    if (scope !== 'emails.send')
      expect(await answered(call, resendClient(gateway.url, key))).toEqual([401, 'restricted_api_key']);
  });

  it('is not for an account that is blocked', async () => {
    await gateway.app.get(Accounts).setStanding(own.accountId, 'blocked');
    expect(await answered(call, resend)).toEqual([403, 'invalid_access']);
  });
});

describe('errors', () => {
  const errorOf = async (call: Promise<{ error: ErrorResponse | null }>) => (await call).error;

  it('say which field is wrong, in the sentence too', async () => {
    expect(
      await errorOf(resend.emails.send(mail({ to: ['ada@example.com', 'bob'], subject: 7 }) as never)),
    ).toMatchObject({
      statusCode: 400,
      name: 'validation_error',
      message: expect.stringMatching(/^to\[1\] .+subject .+\.$/) as string,
      details: [{ field: 'to[1]' }, { field: 'subject' }],
    });
  });

  it('are told where a key may send from some domains only', async () => {
    const { id } = await good(resend.domains.create({ name: `second-${own.domain}` }));
    const { token } = await good(resend.apiKeys.create({ name: 'One', permission: 'sending_access', domain_id: id }));
    expect(await refused(resendClient(gateway.url, token).emails.send(mail()))).toEqual([401, 'restricted_api_key']);
  });

  it('count requests', async () => {
    const busy = await startGatewayApp({ DATABASE_URL: gateway.databaseUrl, RATE_LIMIT_PER_SECOND: '1' });
    const client = resendClient(busy.url, own.key);
    try {
      const answers = await Promise.all(Array.from({ length: 8 }, () => client.emails.list()));
      const limited = answers.find(({ error }) => error?.name === 'rate_limit_exceeded') ?? expect.fail();
      expect(limited.error).toMatchObject({ statusCode: 429, message: expect.stringMatching(/\.$/) as string });
      expect(limited.headers).toMatchObject({ 'ratelimit-limit': '1', 'retry-after': '1' });
    } finally {
      await busy.stop();
    }
  });

  it('count mail', async () => {
    await gateway.app.get(Accounts).setPlan(own.accountId, '2');
    await good(resend.emails.send(mail()));
    const { error, headers } = await resend.emails.send(mail({ to: ['ada@example.com', 'bob@example.com'] }));
    expect(error).toMatchObject({ name: 'monthly_quota_exceeded', statusCode: 429 });
    expect(headers).toMatchObject({ 'x-quota-limit': '2', 'x-quota-remaining': '1' });
    const batch = await good(resend.batch.send([mail(), mail()], { batchValidation: 'permissive' }));
    expect(batch).toMatchObject({ data: [{}], errors: [{ index: 1 }] });
  });

  it('tell of what this service does not have', async () => {
    const calls = [
      resend.emails.share(NOBODYS),
      resend.emails.receiving.list(),
      resend.emails.receiving.get(NOBODYS),
      resend.emails.receiving.attachments.list({ emailId: NOBODYS }),
    ];
    for (const call of calls) expect(await refused(call)).toEqual([404, 'not_found']);
  });
});
