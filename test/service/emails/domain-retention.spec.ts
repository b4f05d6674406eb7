import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CapturedMessages } from '#libs/emails';
import { DomainRetention } from '../../../libs/emails/src/commands/domain-retention.js';
import { DeliveryFixture } from '../../support/delivery/delivery-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

const DAY_MS = 86_400_000;

describe('periods of a domain', () => {
  let gateway: GatewayApp;
  let fixture: DeliveryFixture;
  let account: Awaited<ReturnType<GatewayApp['account']>>;
  beforeAll(async () => {
    gateway = await startGatewayApp();
    fixture = await DeliveryFixture.open(gateway);
  }, 60_000);
  beforeEach(async () => {
    account = await gateway.account();
  });
  afterAll(() => gateway?.stop());

  const change = (settings: object) => gateway.agent(account.key).patch(`/domains/${account.domainId}`).send(settings);
  async function send(own = account): Promise<string> {
    const mail = { from: `a@${own.domain}`, to: 'u@recipient.example', subject: 's', text: 'secret' };
    return ((await gateway.agent(own.key).post('/emails').send(mail).expect(201)).body as { id: string }).id;
  }
  const textOf = async (id: string, { key } = account) =>
    ((await gateway.agent(key).get(`/emails/${id}`)).body as { text: string | null }).text;
  const prune = (days: number) => gateway.app.get(DomainRetention).prune(new Date(Date.now() + days * DAY_MS));

  it('are whole days, and null for those of the service', async () => {
    const { body } = await change({ body_retention_days: 3, captured_retention_days: 1 }).expect(200);
    expect(body).toMatchObject({ body_retention_days: 3, captured_retention_days: 1 });
    expect((await change({ open_tracking: false }).expect(200)).body).toMatchObject({ body_retention_days: 3 });
    expect((await change({ body_retention_days: null }).expect(200)).body).toMatchObject({
      ...{ body_retention_days: null, captured_retention_days: 1 },
    });
    for (const wrong of [0, -1, 366, 1.5, '3', true]) {
      const { status, body: refused } = await change({ body_retention_days: wrong });
      expect(status, String(wrong)).toBe(400);
      expect(refused).toMatchObject({ details: [{ field: 'body_retention_days', code: 'invalid_value' }] });
    }
    const query = `mutation ($id: ID!, $input: UpdateDomainInput!) {
      updateDomain(id: $id, input: $input) { bodyRetentionDays capturedRetentionDays } }`;
    const variables = { id: account.domainId, input: { bodyRetentionDays: 5, capturedRetentionDays: null } };
    const answer = await gateway.agent(account.key).post('/graphql').send({ query, variables });
    expect(answer.body).toEqual({
      data: { updateDomain: { bodyRetentionDays: 5, capturedRetentionDays: null } },
    });
  });

  it('delete the content of settled messages, of this domain alone', async () => {
    const other = await gateway.account();
    const [old, foreign] = [await send(), await send(other)];
    await fixture.deliver(() => 'delivered');
    await change({ body_retention_days: 3 }).expect(200);
    expect(await prune(2.9)).toMatchObject({ contents: 0 });
    expect(await textOf(old)).toBe('secret');
    expect(await prune(3.1)).toMatchObject({ contents: 1 });
    expect(await textOf(old)).toBeNull();
    expect(await textOf(foreign, other)).toBe('secret');
    expect(await prune(3.1)).toMatchObject({ contents: 0 });
  });

  it('wait for messages that are still to be delivered, and for these alone', async () => {
    await change({ body_retention_days: 1 }).expect(200);
    const waiting = await send();
    await fixture.deliver(() => 'deferred');
    const settled = await send();
    await fixture.deliver(() => 'delivered');
    expect(await prune(1.1)).toMatchObject({ contents: 1 });
    expect([await textOf(waiting), await textOf(settled)]).toEqual(['secret', null]);
    await fixture.database.query('UPDATE recipients SET due_at = now() WHERE email_id = $1', [waiting]);
    await fixture.deliver(() => 'delivered');
    expect(await prune(1.1)).toMatchObject({ contents: 1 });
    expect(await textOf(waiting)).toBeNull();
  });

  it('read each message once, in batches, and go on where they ended', async () => {
    await change({ body_retention_days: 1 }).expect(200);
    const seed = await send();
    await fixture.deliver(() => 'delivered');
    const { rows: columns } = await fixture.database.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'emails'::regclass AND attnum > 0 AND attgenerated = ''
          AND NOT attisdropped AND attname <> 'id'`,
    );
    const others = columns.map(({ name }) => name).join();
    await fixture.database.query(
      `INSERT INTO emails (id, ${others}) SELECT left(id, 29) || lpad(to_hex(n), 6, '0'), ${others}
         FROM emails, generate_series(1, 1100) n WHERE id = $1`,
      [seed],
    );
    await fixture.database.query(
      `INSERT INTO email_contents SELECT id, 'parts', '{}' FROM emails WHERE domain_id = $1 AND id <> $2`,
      [account.domainId, seed],
    );
    expect(await prune(1.1)).toMatchObject({ contents: 1_101 });
    const { rows } = await fixture.database.query<{ until: string }>(
      'SELECT contents_until AS until FROM domain_retention WHERE domain_id = $1',
      [account.domainId],
    );
    expect(rows[0].until > seed).toBe(true);
    expect(await prune(1.1)).toMatchObject({ contents: 0 });
  });

  it('delete captured messages of this domain alone', async () => {
    const other = await gateway.account();
    const captured = gateway.app.get(CapturedMessages);
    for (const own of [account, other]) {
      const emailId = await send(own);
      await captured.store({ emailId, mailFrom: 'a@b.example', rcptTo: ['u@b.example'], content: Buffer.from('raw') });
    }
    await fixture.deliver(() => 'delivered');
    await change({ captured_retention_days: 1 }).expect(200);
    expect(await prune(0.9)).toMatchObject({ captured: 0 });
    expect(await prune(1.1)).toMatchObject({ captured: 1 });
    const inbox = async ({ key }: { key: string }) =>
      ((await gateway.agent(key).get('/captured')).body as { data: unknown[] }).data.length;
    expect([await inbox(account), await inbox(other)]).toEqual([0, 1]);
  });
});
