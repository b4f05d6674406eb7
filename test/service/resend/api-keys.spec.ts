import { ApiKeys } from '#libs/accounts';
import { bareUuid } from '#libs/contracts';
import { describe, expect } from 'vitest';
import { good, refused, resendClient, timestamp, uuid } from '../../support/resend/resend-client.js';
import { until } from '../../support/timing/until.js';
import { resendTest } from '../../support/resend/resend-tests.js';
const mailFrom = (domain: string) => ({
  from: `shop@${domain}`,
  to: 'delivered@sim.postloft.test',
  subject: 'Hello',
  text: 'Hello',
});

const it = resendTest.extend(
  'as',
  ({ gateway }) =>
    (key: string) =>
      resendClient(gateway.url, key),
);

describe('resend.apiKeys', () => {
  it('creates a key whose token works at once', async ({ resend, as }) => {
    const made = await good(resend.apiKeys.create({ name: 'Second' }));
    expect(made).toEqual({ id: uuid(), token: expect.stringMatching(/^pl_live_/) as string });
    expect((await good(as(made.token).domains.list())).data).toHaveLength(1);
  });

  it('creates keys that may only send, and only from one domain', async ({ own, resend, as }) => {
    const { id: other } = await good(resend.domains.create({ name: 'other.example.com' }));
    const domainId = (await good(resend.domains.list())).data.find(({ name }) => name === own.domain)?.id ?? '';
    const options = { name: 'Sends', permission: 'sending_access' } as const;
    const free = as((await good(resend.apiKeys.create(options))).token);
    const bound = as((await good(resend.apiKeys.create({ ...options, domain_id: domainId }))).token);
    const elsewhere = as((await good(resend.apiKeys.create({ ...options, domain_id: other }))).token);
    expect(await refused(free.domains.list())).toEqual([401, 'restricted_api_key']);
    expect(await good(free.emails.send(mailFrom(own.domain)))).toEqual({ object: 'email', id: uuid() });
    await good(bound.emails.send(mailFrom(own.domain)));
    expect(await refused(elsewhere.emails.send(mailFrom(own.domain)))).toEqual([401, 'restricted_api_key']);
  });

  it('refuses what no key can have', async ({ gateway, resend }) => {
    const stranger = await gateway.account();
    for (const domain_id of [stranger.domainId, 'nothing'])
      expect(await refused(resend.apiKeys.create({ name: 'x', domain_id }))).toEqual([400, 'validation_error']);
    expect(await refused(resend.apiKeys.create({} as { name: string }))).toEqual([422, 'missing_required_field']);
    const permission = 'reading_access' as 'full_access';
    expect(await refused(resend.apiKeys.create({ name: 'x', permission }))).toEqual([400, 'validation_error']);
  });

  it('lists, renames and removes', async ({ resend, as }) => {
    const { id, token } = await good(resend.apiKeys.create({ name: 'Second' }));
    // The use of a key is noted beside the request, which does not wait for it.
    const all = await until(async () => {
      const list = await good(resend.apiKeys.list());
      return list.data.at(-1)?.last_used_at ? list : null;
    });
    expect(all).toEqual({
      object: 'list',
      has_more: false,
      data: [
        { id, name: 'Second', created_at: timestamp(), last_used_at: null },
        { id: uuid(), name: 'Test', created_at: timestamp(), last_used_at: timestamp() },
      ],
    });
    const first = await good(resend.apiKeys.list({ limit: 1 }));
    expect([first.has_more, first.data]).toEqual([true, all.data.slice(0, 1)]);
    expect((await good(resend.apiKeys.list({ after: id }))).data).toHaveLength(1);

    expect(await good(resend.apiKeys.update(id, { name: 'Renamed' }))).toEqual({ object: 'api_key', id });
    expect((await good(resend.apiKeys.list())).data[0].name).toBe('Renamed');
    expect(await good(resend.apiKeys.remove(id))).toEqual({ object: 'api_key', id, deleted: true });
    expect(await refused(as(token).domains.list())).toEqual([403, 'invalid_api_key']);
    expect(await refused(resend.apiKeys.remove(id))).toEqual([404, 'not_found']);
    expect(await refused(resend.apiKeys.update(id, { name: 'x' }))).toEqual([404, 'not_found']);
    expect(await refused(resend.apiKeys.remove('nothing'))).toEqual([404, 'not_found']);
  });

  it('makes no keys for a test key, which may delete itself', async ({ gateway, own, as }) => {
    const test = await gateway.app.get(ApiKeys).create(own.accountId, { name: 'Test', mode: 'test' });
    const asTest = as(test.token).apiKeys;
    expect(await refused(asTest.create({ name: 'Another' }))).toEqual([401, 'restricted_api_key']);
    const uuid = bareUuid(test.id);
    expect(await good(asTest.remove(uuid))).toMatchObject({ id: uuid, deleted: true });
    expect(await refused(asTest.list())).toEqual([403, 'invalid_api_key']);
  });
});
