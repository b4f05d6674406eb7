import type { Response } from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Accounts, Allowances } from '#libs/accounts';
import type { EmailDto as EmailView } from '../../../apps/gateway/src/rest/emails/emails.dto.js';
import { SuppressionList } from '#libs/suppressions';
import { DeliveryFixture, type ScriptedOutcome } from '../../support/delivery/delivery-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';

describe('POST /emails/:id/retry', () => {
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

  const api = () => gateway.agent(account.key);
  const mail = async (id: string) => (await api().get(`/emails/${id}`)).body as EmailView;
  const code = async (answer: Response) => {
    const { details } = answer.body as { details: { code: string }[] };
    return `${answer.status} ${details[0]?.code}`;
  };

  async function send(over: object = {}): Promise<string> {
    const body = { from: `a@${account.domain}`, to: 'bad@recipient.example', subject: 'Again', text: 'text', ...over };
    const answer = await api().post('/emails').send(body);
    expect(answer.status, answer.text).toBe(201);
    return (answer.body as { id: string }).id;
  }
  const badOnes = (address: string): ScriptedOutcome => (address.startsWith('bad') ? 'bounced' : 'delivered');
  async function failed(over: object = {}): Promise<string> {
    const id = await send(over);
    await fixture.deliver(badOnes);
    return id;
  }

  it('sends the same content as a new mail to those who did not get it', async () => {
    const id = await failed({
      from: `Shop <a@${account.domain}>`,
      to: ['Good One <good@recipient.example>', 'Bad One <bad@recipient.example>'],
      cc: 'bad-cc@recipient.example',
      bcc: ['good-bcc@recipient.example', 'bad-bcc@recipient.example'],
      reply_to: 'help@recipient.example',
      html: '<p>html</p>',
      headers: { 'X-Kind': 'invoice' },
      tags: { campaign: 'spring' },
      priority: 'bulk',
      attachments: [{ filename: 'a.txt', content: Buffer.from('file').toString('base64') }],
    });
    const before = await mail(id);
    expect(before.status).toBe('bounced');
    const answer = await api().post(`/emails/${id}/retry`);
    expect(answer.status).toBe(201);
    const created = answer.body as { id: string; object: string; retry_of: string };
    expect(created).toEqual({ id: created.id, object: 'email', retry_of: id });
    expect(created.id).not.toBe(id);
    const after = await mail(created.id);
    expect(after).toMatchObject({
      status: 'queued',
      from: before.from,
      to: ['Bad One <bad@recipient.example>'],
      cc: ['bad-cc@recipient.example'],
      bcc: ['bad-bcc@recipient.example'],
      reply_to: before.reply_to,
      subject: before.subject,
      html: before.html,
      text: before.text,
      headers: before.headers,
      tags: before.tags,
      priority: 'bulk',
      retry_of: id,
    });
    expect(after.attachments.map(({ filename, size }) => [filename, size])).toEqual([['a.txt', 4]]);
    expect(after.recipients.map(({ address, type, status }) => `${type} ${address} ${status}`)).toEqual([
      'to bad@recipient.example queued',
      'cc bad-cc@recipient.example queued',
      'bcc bad-bcc@recipient.example queued',
    ]);
    expect((await mail(id)).status).toBe('bounced');
    await fixture.deliver(() => 'delivered');
    expect((await mail(created.id)).status).toBe('delivered');
  });

  it('serves hidden recipients alone too', async () => {
    const id = await failed({ to: 'good@recipient.example', bcc: 'bad@recipient.example' });
    const { id: again } = (await api().post(`/emails/${id}/retry`)).body as { id: string };
    expect(await mail(again)).toMatchObject({ to: [], cc: [], bcc: ['bad@recipient.example'] });
    await fixture.deliver(() => 'delivered');
  });

  it('makes one mail of a repeated request with an idempotency key', async () => {
    const id = await failed();
    const other = await failed();
    const retry = async (of: string) =>
      gateway.agent(account.key).post(`/emails/${of}/retry`).set({ 'idempotency-key': 'once' });
    const [first, second] = [await retry(id), await retry(id)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(((await retry(other)).body as { retry_of: string }).retry_of).toBe(other);
    await fixture.deliver(() => 'delivered');
  });

  it('refuses a mail that is under way, and one that nobody failed to get', async () => {
    const scheduled = await send({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await code(await api().post(`/emails/${scheduled}/retry`))).toBe('409 not_retryable');
    const deferred = await send({ to: ['bad@recipient.example', 'slow@other.example'] });
    await fixture.deliver((address) => (address.startsWith('slow') ? 'deferred' : 'bounced'));
    expect(await code(await api().post(`/emails/${deferred}/retry`))).toBe('409 not_retryable');
    const delivered = await failed({ to: 'good@recipient.example' });
    expect(await code(await api().post(`/emails/${delivered}/retry`))).toBe('409 not_retryable');
    await api().post(`/emails/${scheduled}/cancel`);
    expect(await code(await api().post(`/emails/${scheduled}/retry`))).toBe('409 not_retryable');
  });

  it('refuses a mail whose body is no longer kept', async () => {
    const id = await failed();
    await fixture.database.query('DELETE FROM email_contents WHERE email_id = $1', [id]);
    expect(await code(await api().post(`/emails/${id}/retry`))).toBe('409 not_retryable');
  });

  it('asks suppressions, domain and allowance again', async () => {
    const id = await failed();
    await gateway.app.get(Accounts).setPlan(account.accountId, '0');
    await until(async () => (await gateway.app.get(Allowances).limitOf(account.accountId)) === 0);
    expect((await api().post(`/emails/${id}/retry`)).status).toBe(429);
    await gateway.app.get(Accounts).setPlan(account.accountId, 'unlimited');
    await until(async () => (await gateway.app.get(Allowances).limitOf(account.accountId)) === null);
    await fixture.database.transaction(async (tx) => {
      await gateway.app.get(SuppressionList).add(tx, {
        accountId: account.accountId,
        address: 'bad@recipient.example',
        origin: 'manual',
        reason: null,
        sourceId: null,
      });
    });
    expect(await code(await api().post(`/emails/${id}/retry`))).toBe('422 suppressed');
    await fixture.database.query('DELETE FROM suppressions WHERE account_id = $1', [account.accountId]);
    expect((await api().delete(`/domains/${account.domainId}`)).status).toBe(200);
    expect(await until(async () => code(await api().post(`/emails/${id}/retry`)))).toBe('422 domain_not_verified');
  });
});
