import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Accounts } from '#libs/accounts';
import { newId, type Page, wholeAccount } from '#libs/contracts';
import type { LinkedAttachmentDto as LinkedAttachmentView } from '../../../apps/gateway/src/rest/emails/email-attachments.dto.js';
import type {
  AttemptDto as AttemptView,
  EmailEventDto as EventView,
  ExplanationDto as EmailExplanationView,
} from '../../../apps/gateway/src/rest/emails/email-history.dto.js';
import type { EmailDto as EmailView } from '../../../apps/gateway/src/rest/emails/emails.dto.js';
import { Retention } from '../../../libs/emails/src/commands/retention.js';
import { EmailExplanation } from '#libs/queue';
import { DeliveryFixture } from '../../support/delivery/delivery-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';

describe('what became of a mail', () => {
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

  const get = async <T>(path: string) => {
    const answer = await gateway.agent(account.key).get(path);
    expect(answer.status, answer.text).toBe(200);
    return answer.body as T;
  };
  async function send(over: object = {}): Promise<string> {
    const body = { from: `a@${account.domain}`, to: 'u@recipient.example', subject: 'Read', text: 'text', ...over };
    const answer = await gateway.agent(account.key).post('/emails').send(body);
    expect(answer.status, answer.text).toBe(201);
    return (answer.body as { id: string }).id;
  }
  /** The next attempt of everybody who is deferred is due now. */
  const hurry = (id: string) =>
    fixture.database.query(`UPDATE recipients SET due_at = now() WHERE email_id = $1 AND status = 'deferred'`, [id]);
  const explain = async (id: string) => (await get<EmailExplanationView>(`/emails/${id}/explain`)).recipients;

  it('lists its events as they happened, in pages', async () => {
    const id = await send();
    await fixture.deliver(() => 'deferred');
    await hurry(id);
    await fixture.deliver(() => 'delivered');
    const path = `/emails/${id}/events`;
    const { data, ...rest } = await get<Page<EventView>>(path);
    expect(rest).toEqual({ object: 'list', has_more: false, next_cursor: null });
    expect(data.map(({ type }) => type)).toEqual(['email.queued', 'email.sent', 'email.failed', 'email.delivered']);
    for (const event of data) {
      expect(Object.keys(event)).toEqual(['id', 'type', 'created_at', 'data']);
      expect(event.data).toMatchObject({ id, email_id: id, recipient: 'u@recipient.example' });
    }
    const first = await get<Page<EventView>>(`${path}?limit=3`);
    expect(first).toEqual({ object: 'list', has_more: true, data: data.slice(0, 3), next_cursor: data[2].id });
    expect(await get(`${path}?after=${data[2].id}`)).toMatchObject({ has_more: false, data: data.slice(3) });
    expect(await get(`${path}?before=${data[2].id}&limit=1`)).toMatchObject({ has_more: true, data: [data[1]] });
  });

  it('lists at once what the mail already shows, also while the log cannot be written', async () => {
    const { session, id, during } = await whileTheLogStands(async () => {
      const mail = await send();
      await fixture.deliver(() => 'delivered');
      return mail;
    });
    const path = `/emails/${id}/events`;
    try {
      expect(await get<EmailView>(`/emails/${id}`)).toMatchObject({ last_event: 'delivered' });
      expect(during.data.map(({ type }) => type)).toEqual(['email.queued', 'email.sent', 'email.delivered']);
      const [first, second, third] = during.data;
      expect(await get(`${path}?limit=1&after=${first.id}`)).toMatchObject({ has_more: true, data: [second] });
      expect(await get(`${path}?before=${third.id}`)).toMatchObject({ has_more: false, data: [first, second] });
      expect(await get(`${path}?after=${newId('evt')}`)).toMatchObject({ has_more: false, data: [] });
    } finally {
      await session.query('ROLLBACK');
      session.release();
    }
    await until(async () => (await fixture.database.query('SELECT 1 FROM outbox')).rows.length === 0);
    expect(await get(path)).toEqual(during);
  });

  /** The log's head stays locked until the session that comes back is told to roll back. */
  async function whileTheLogStands(work: () => Promise<string>) {
    const session = await fixture.database.session();
    await session.query('BEGIN');
    await session.query('LOCK TABLE event_log_head IN EXCLUSIVE MODE');
    const id = await work();
    return { session, id, during: await get<Page<EventView>>(`/emails/${id}/events`) };
  }

  it('lists every attempt for every recipient with the words of the server', async () => {
    const id = await send({ to: ['u@recipient.example', 'slow@other.example'] });
    await fixture.deliver((address) => (address.startsWith('slow') ? 'deferred' : 'delivered'));
    await hurry(id);
    await fixture.deliver(() => 'bounced');
    const { data } = await get<Page<AttemptView>>(`/emails/${id}/attempts`);
    expect(
      data.map((attempt) => `${attempt.recipient} ${attempt.number} ${attempt.outcome} ${attempt.certainty}`),
    ).toEqual(
      expect.arrayContaining([
        'u@recipient.example 1 delivered null',
        'slow@other.example 1 deferred answered',
        'slow@other.example 2 bounced null',
      ]),
    );
    expect(data).toHaveLength(3);
    expect(data[0]).toMatchObject({
      object: 'attempt',
      recipient: 'slow@other.example',
      phase: 'rcpt',
      smtp: {
        code: 550,
        enhanced: '5.7.1',
        text: 'not wanted here',
        mx: 'mx.recipient.example',
        ip: '192.0.2.25',
        tls: null,
      },
    });
    expect(Date.parse(data[0].ended_at)).toBeGreaterThanOrEqual(Date.parse(data[0].started_at));
    const first = await get<Page<AttemptView>>(`/emails/${id}/attempts?limit=2`);
    expect(first).toEqual({ object: 'list', has_more: true, data: data.slice(0, 2), next_cursor: data[1].id });
    expect(await get(`/emails/${id}/attempts?after=${data[1].id}`)).toMatchObject({ has_more: false, data: [data[2]] });
  });

  it('explains mail that has been due for long by what holds the mail before it back', async () => {
    const [ahead, id] = [await send({ to: ['a@busy.example'] }), await send({ to: ['b@busy.example'] })];
    const wait = { kind: 'slow_down', queue: 'domain:busy.example', source: null, mx: 'mx.busy.example' };
    const told = { ...wait, text: 'This queue goes slowly.', words: '421 4.7.0 too fast' };
    await fixture.database.query(`UPDATE recipients SET due_at = now() - interval '1 minute' WHERE email_id = $1`, [
      id,
    ]);
    expect(await explain(id)).toMatchObject([{ waiting_for: 'worker', until: null, held: null }]);
    await fixture.database.query(
      `UPDATE recipients SET due_at = now() + interval '1 minute', wait_reason = $2 WHERE email_id = $1`,
      [ahead, JSON.stringify(told)],
    );
    const [before] = await explain(ahead);
    expect(await explain(id)).toMatchObject([
      {
        waiting_for: 'shaping',
        until: before.until,
        because: 'This queue goes slowly. mx.busy.example answered: 421 4.7.0 too fast',
        held: wait,
      },
    ]);
  });

  it('explains what each recipient waits for, until when and because of which words', async () => {
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const later = await send({ scheduled_at });
    expect(await explain(later)).toMatchObject([
      { state: 'scheduled', waiting_for: 'schedule', until: scheduled_at, smtp: null },
    ]);
    const id = await send({ to: ['u@recipient.example', 'slow@other.example'] });
    expect(await explain(id)).toMatchObject([
      { address: 'u@recipient.example', type: 'to', state: 'queued', waiting_for: 'worker', until: null },
      { state: 'queued', waiting_for: 'worker', until: null },
    ]);
    const jobs = await fixture.claim();
    expect(await explain(id)).toMatchObject([
      { state: 'sending', waiting_for: 'answer', until: null },
      { state: 'sending', waiting_for: 'answer' },
    ]);
    await fixture.settle(jobs, (address) => (address.startsWith('slow') ? 'deferred' : 'delivered'));
    const [taken, waiting] = await explain(id);
    expect(taken).toMatchObject({ state: 'delivered', waiting_for: null, until: null, gives_up_at: null });
    expect(taken.because).toContain('mx.recipient.example answered: 250 2.0.0 taken');
    expect(waiting).toMatchObject({
      state: 'deferred',
      waiting_for: 'retry',
      because: 'mx.recipient.example answered: 450 4.2.0 greylisted, come back',
      smtp: { code: 450 },
    });
    expect(Date.parse(waiting.until as string)).toBeGreaterThan(Date.now());
    expect(Date.parse(waiting.gives_up_at as string)).toBeGreaterThan(Date.parse(waiting.until as string));
    await hurry(id);
    await fixture.deliver(() => 'bounced');
    expect((await explain(id))[1]).toMatchObject({
      state: 'bounced',
      waiting_for: null,
      because: 'The receiving side refused it for good. mx.recipient.example answered: 550 5.7.1 not wanted here',
    });
  });

  it('explains that a mail was taken before it came back', async () => {
    const id = await send();
    await fixture.deliver(() => 'delivered');
    const { data } = await get<Page<AttemptView>>(`/emails/${id}/attempts`);
    await fixture.database.query(
      `UPDATE recipients SET status = 'bounced', smtp_code = 550, smtp_enhanced = '5.1.1', smtp_text = 'no such user',
              mx = 'mailbox.recipient.example' WHERE email_id = $1`,
      [id],
    );
    expect(await explain(id)).toMatchObject([
      {
        state: 'bounced',
        waiting_for: null,
        because:
          `mx.recipient.example took it at ${data[0].ended_at}, and it came back. ` +
          'mailbox.recipient.example reported: 550 5.1.1 no such user',
      },
    ]);
  });

  it('explains that a mail was given up because its domain was removed, also when its time is over', async () => {
    const id = await send();
    await fixture.database.query(`UPDATE emails SET domain_id = 'dom_gone' WHERE id = $1`, [id]);
    await fixture.deliver(() => 'delivered');
    const because = 'The sending domain was removed from the account.';
    expect(await explain(id)).toMatchObject([{ state: 'failed', waiting_for: null, because }]);
    await fixture.database.query(`UPDATE recipients SET expires_at = now() - interval '1 s' WHERE email_id = $1`, [id]);
    expect(await explain(id)).toMatchObject([{ state: 'failed', because }]);
  });

  it('shows that mail of a blocked account is held', async () => {
    const id = await send();
    await gateway.app.get(Accounts).setStanding(account.accountId, 'blocked');
    await fixture.deliver(() => 'delivered');
    const held = await gateway.app.get(EmailExplanation).explain(wholeAccount(account.accountId), id);
    expect(held?.status).toBe('queued');
    expect(held?.recipients).toMatchObject([{ state: 'queued', waiting_for: 'account', until: null }]);
    expect(held?.recipients[0].because).toContain('The account is blocked, so its emails are held.');
    await gateway.app.get(Accounts).setStanding(account.accountId, 'active');
    const freed = await gateway.app.get(EmailExplanation).explain(wholeAccount(account.accountId), id);
    expect(freed?.recipients).toMatchObject([{ waiting_for: 'worker', until: null }]);
  });

  describe('its files', () => {
    const html = '<img src="cid:logo">';
    const attachments = [
      { filename: 'Übersicht (1).txt', content: Buffer.from('overview').toString('base64') },
      {
        filename: 'logo.png',
        content: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64'),
        content_id: 'logo',
      },
    ];
    const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '');
    const files = (id: string) => get<Page<LinkedAttachmentView>>(`/emails/${id}/attachments`);

    it('are listed with what is known of them, under ids that stay', async () => {
      const id = await send({ html, attachments });
      const { data, ...rest } = await files(id);
      expect(rest).toEqual({ object: 'list', has_more: false, next_cursor: null });
      expect(data).toMatchObject([
        {
          object: 'attachment',
          filename: 'Übersicht (1).txt',
          content_type: 'text/plain',
          content_disposition: 'attachment',
          content_id: null,
          size: 8,
        },
        {
          object: 'attachment',
          filename: 'logo.png',
          content_type: 'image/png',
          content_disposition: 'inline',
          content_id: 'logo',
          size: 16,
        },
      ]);
      expect(data[0].id).toMatch(/^att_[0-9a-f]{32}$/);
      expect((await files(id)).data.map((file) => file.id)).toEqual(data.map((file) => file.id));
      expect((await get<EmailView>(`/emails/${id}`)).attachments.map((file) => file.id)).toEqual(
        data.map((file) => file.id),
      );
      const alone = await get<LinkedAttachmentView>(`/emails/${id}/attachments/${data[1].id}`);
      expect(alone).toMatchObject({ id: data[1].id, filename: 'logo.png', size: 16 });
      const life = Date.parse(alone.expires_at) - Date.now();
      expect(life).toBeGreaterThan(3_590_000);
      expect(life).toBeLessThan(3_602_000);
    });

    it('are loaded by their link without a key, never shown in place', async () => {
      const { data } = await files(await send({ html, attachments }));
      const answer = await gateway.agent().get(pathOf(data[0].download_url)).responseType('blob');
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(Buffer.from('overview'));
      expect(answer.headers['content-type']).toBe('application/octet-stream');
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['content-disposition']).toBe(
        `attachment; filename="_bersicht (1).txt"; filename*=UTF-8''%C3%9Cbersicht%20%281%29.txt`,
      );
    });

    it('are not there for any other link', async () => {
      const [a, b] = (await files(await send({ html, attachments }))).data;
      const [other] = (await files(await send({ html, attachments }))).data;
      const [path, token] = pathOf(a.download_url).split('?token=');
      const changed = Array.from({ length: token.length }, (_, i) => {
        const char = token[i] === 'A' ? 'B' : 'A';
        return `${path}?token=${token.slice(0, i)}${char}${token.slice(i + 1)}`;
      });
      for (const wrong of [
        path,
        `${path}?token=`,
        `${path}?token=${token}&token=${token}`,
        `${path}?token=${token}=`,
        `${pathOf(b.download_url).split('?')[0]}?token=${token}`,
        `${pathOf(other.download_url).split('?')[0]}?token=${token}`,
        ...changed,
      ])
        expect((await gateway.agent().get(wrong)).status, wrong).toBe(404);
    });

    it('are gone with the body', async () => {
      const id = await send({ html, attachments });
      const { data } = await files(id);
      await fixture.database.query('DELETE FROM email_contents WHERE email_id = $1', [id]);
      expect((await files(id)).data).toEqual([]);
      expect((await gateway.agent().get(pathOf(data[0].download_url))).status).toBe(404);
      expect(await get(`/emails/${id}`)).toMatchObject({ html: null, text: null, attachments: [] });
    });
  });

  it('is as if it were not there for another account, on every route', async () => {
    const id = await send({ attachments: [{ filename: 'a.txt', content: Buffer.from('a').toString('base64') }] });
    const [file] = (await get<Page<LinkedAttachmentView>>(`/emails/${id}/attachments`)).data;
    const stranger = await gateway.account();
    for (const path of ['', '/events', '/attempts', '/explain', '/attachments', `/attachments/${file.id}`]) {
      const answers = [`/emails/${id}${path}`, `/emails/${newId('em')}${path}`, `/emails/em_1${path}`].map(
        async (target) => {
          const answer = await gateway.agent(stranger.key).get(target);
          return { status: answer.status, body: { ...(answer.body as object), request_id: '' } };
        },
      );
      const [foreign, unknown, malformed] = await Promise.all(answers);
      expect(foreign.status, path).toBe(404);
      expect(foreign).toEqual(unknown);
      expect(foreign).toEqual(malformed);
    }
  });

  it('is kept 30 days with its body, 90 days without, and an idempotency key for a day', async () => {
    const count = async (table: string) =>
      (await fixture.database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n;
    const aged = async (days: number, key: string): Promise<string> => {
      const answer = await gateway
        .agent(account.key)
        .post('/emails')
        .set({ 'idempotency-key': key })
        .send({
          from: `a@${account.domain}`,
          to: 'u@recipient.example',
          subject: 'Old',
          text: 'text',
          tags: { kind: 'old' },
        });
      const { id } = answer.body as { id: string };
      await fixture.deliver(() => 'delivered');
      const old = `em_${(Date.now() - days * 86_400_000).toString(16).padStart(12, '0')}${id.slice(15)}`;
      await fixture.database.query('UPDATE emails SET id = $2 WHERE id = $1', [id, old]);
      for (const table of ['recipients', 'attempts', 'email_tags', 'email_contents'])
        await fixture.database.query(`UPDATE ${table} SET email_id = $2 WHERE email_id = $1`, [id, old]);
      return old;
    };
    const tables = ['emails', 'recipients', 'attempts', 'email_tags', 'email_contents', 'idempotency_keys'];
    const counts = async () =>
      Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await count(table)])));
    await fixture.deliver(() => 'delivered');
    const before = await counts();
    const [young, bodiless, old] = [await aged(29, 'a'), await aged(31, 'b'), await aged(91, 'c')];
    await fixture.database.query(
      `UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = 'a'`,
    );
    const retention = gateway.app.get(Retention);
    expect(await retention.contents()).toMatchObject({ deleted: 2 });
    expect(await retention.attempts()).toMatchObject({ deleted: 1 });
    expect(await retention.prune()).toEqual({ emails: 1, idempotencyKeys: 1 });
    const after = await counts();
    for (const table of tables) expect(after[table] - before[table], table).toBe(table === 'email_contents' ? 1 : 2);
    expect((await get<EmailView>(`/emails/${young}`)).text).toBe('text');
    expect(await get(`/emails/${bodiless}`)).toMatchObject({ text: null, subject: 'Old', status: 'delivered' });
    expect((await gateway.agent(account.key).get(`/emails/${old}`)).status).toBe(404);
    expect(await retention.contents()).toMatchObject({ deleted: 0 });
    expect(await retention.prune()).toEqual({ emails: 0, idempotencyKeys: 0 });
  });
});
