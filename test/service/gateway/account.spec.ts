import { Accounts, ApiKeys } from '#libs/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { Database } from '#libs/persistence';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';

let gateway: GatewayApp;
let accountId: string;
let key: string;

beforeAll(async () => {
  gateway = await sharedGateway();
  ({ id: accountId } = await gateway.app.get(Accounts).create({ name: 'Letters Ltd', plan: '5000' }));
  ({ token: key } = await gateway.app.get(ApiKeys).create(accountId, { name: 'full' }));
});

const get = () => gateway.agent(key).get('/account');
const patch = (body: object, by = key) => gateway.agent(by).patch('/account').send(body);

describe('/account', () => {
  it('shows the account of the key', async () => {
    const { status, body } = await get();
    expect(status).toBe(200);
    expect(body).toEqual({
      id: accountId,
      object: 'account',
      name: 'Letters Ltd',
      plan: '5000',
      status: 'active',
      sending_pause: null,
      pool: 'default',
      penalty: null,
      notify_addresses: [],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    });
  });

  it('changes the fields that are given and no other, and records who changed them', async () => {
    const addresses = [' ops@example.com ', 'boss@example.com', 'ops@example.com'];
    expect((await patch({ notify_addresses: addresses })).body).toMatchObject({
      name: 'Letters Ltd',
      notify_addresses: ['ops@example.com', 'boss@example.com'],
    });
    expect((await patch({ name: ' Post Ltd ' })).body).toMatchObject({
      name: 'Post Ltd',
      notify_addresses: ['ops@example.com', 'boss@example.com'],
    });
    expect((await patch({ notify_addresses: [] })).body).toMatchObject({ name: 'Post Ltd', notify_addresses: [] });
    const { rows } = await gateway.app
      .get(Database)
      .query(`SELECT action, actor, details FROM audit_log WHERE account_id = $1 ORDER BY id`, [accountId]);
    const actor = expect.stringMatching(/^key_/) as string;
    expect(rows).toEqual([
      { action: 'account.updated', actor, details: { fields: ['notify_addresses'] } },
      { action: 'account.updated', actor, details: { fields: ['name'] } },
      { action: 'account.updated', actor, details: { fields: ['notify_addresses'] } },
    ]);
  });

  it.each<[body: object, field: string, message: string]>([
    [{ name: '' }, 'name', 'must not be empty'],
    [{ name: 'x'.repeat(101) }, 'name', 'must have at most 100 characters'],
    [{ name: 7 }, 'name', 'must be a string'],
    [{ notify_addresses: 'ops@example.com' }, 'notify_addresses', 'must be an array of addresses'],
    [{ notify_addresses: Array(11).fill('a@example.com') }, 'notify_addresses', 'must have at most 10 addresses'],
    [{ notify_addresses: ['a@example.com', 'nobody'] }, 'notify_addresses[1]', ''],
    [{ notify_addresses: ['Ada <a@example.com>'] }, 'notify_addresses[0]', 'must be an address alone'],
  ])('refuses %j and names the field', async (body, field, message) => {
    const answer = await patch(body);
    expect(answer.status).toBe(400);
    const { details } = answer.body as { details: { field: string; message: string }[] };
    expect(details).toEqual([expect.objectContaining({ field, message: expect.stringContaining(message) as string })]);
  });

  it('is changed by live keys with the scope only', async () => {
    const keys = gateway.app.get(ApiKeys);
    const { token: reader } = await keys.create(accountId, { name: 'reader', scopes: ['account.read'] });
    const { token: test } = await keys.create(accountId, { name: 'test', mode: 'test' });
    expect((await gateway.agent(reader).get('/account')).status).toBe(200);
    expect((await patch({ name: 'x' }, reader)).status).toBe(403);
    expect((await gateway.agent(test).get('/account')).status).toBe(200);
    expect((await patch({ name: 'x' }, test)).status).toBe(403);
  });
});
