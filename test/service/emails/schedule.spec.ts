import type { Response } from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId, type Page } from '#libs/contracts';
import { Accounts, Allowances } from '#libs/accounts';
import type { EmailEventDto as EventView } from '../../../apps/gateway/src/rest/emails/email-history.dto.js';
import type { EmailDto as EmailView } from '../../../apps/gateway/src/rest/emails/emails.dto.js';
import { HeldQueues, QueueDepths } from '#libs/queue';
import { Queue } from '../../../libs/queue/src/queue.js';
import { DeliveryFixture } from '../../support/delivery/delivery-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';

const RACERS = 500;
/** Cancels under way at once; the gateway, the workers and they share one pool of connections here. */
const WORKERS = 10;

describe('mail that waits', () => {
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

  const soon = (ms = 3_600_000) => new Date(Date.now() + ms).toISOString();
  const api = () => gateway.agent(account.key);

  async function send(over: object = {}): Promise<string> {
    const mail = { from: `a@${account.domain}`, to: 'u@recipient.example', subject: 'Later', text: 'text', ...over };
    const answer = await api().post('/emails').send(mail);
    expect(answer.status, answer.text).toBe(201);
    return (answer.body as { id: string }).id;
  }
  async function sendMany(count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count)
      ids.push(...(await Promise.all(Array.from({ length: 50 }, () => send({ scheduled_at: soon() })))));
    return ids;
  }
  const mail = async (id: string) => (await api().get(`/emails/${id}`)).body as EmailView;
  const eventsOf = async (id: string, wanted: number) => {
    const read = async () => (await api().get(`/emails/${id}/events`)).body as Page<EventView>;
    await until(async () => (await read()).data.length >= wanted);
    return (await read()).data.map(({ type, data }) => `${type} ${(data as { recipient: string }).recipient}`);
  };
  const problem = async (answer: Response) => {
    const { error, message, details } = answer.body as {
      error: string;
      message: string;
      details: { code: string }[];
    };
    return { status: answer.status, error, message, code: details[0]?.code };
  };

  it('is not put off for more than 30 days, since retention keeps all content until then', async () => {
    const id = await send({ scheduled_at: soon() });
    const day = 24 * 3_600_000;
    await fixture.database.query(`UPDATE emails SET created_at = now() - interval '28 days' WHERE id = $1`, [id]);
    expect(
      (
        await api()
          .patch(`/emails/${id}`)
          .send({ scheduled_at: soon(1.9 * day) })
      ).status,
    ).toBe(200);
    const answer = await api()
      .patch(`/emails/${id}`)
      .send({ scheduled_at: soon(2.1 * day) });
    expect(answer.status).toBe(400);
    expect((answer.body as { details: object[] }).details).toMatchObject([{ field: 'scheduled_at', code: 'too_late' }]);
  });

  it('is canceled for all recipients at once, with an event for each, and never sent', async () => {
    const id = await send({ to: ['u@recipient.example', 'v@other.example'], scheduled_at: soon(400) });
    const answer = await api().post(`/emails/${id}/cancel`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ object: 'email', id, status: 'canceled' });
    await new Promise((resolve) => setTimeout(resolve, 600));
    await fixture.deliver(() => 'delivered');
    const after = await mail(id);
    expect(after).toMatchObject({ status: 'canceled', last_event: 'canceled', delivered_at: null });
    expect(after.recipients.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['canceled', 0],
      ['canceled', 0],
    ]);
    expect(await eventsOf(id, 4)).toEqual([
      'email.scheduled u@recipient.example',
      'email.scheduled v@other.example',
      'email.canceled u@recipient.example',
      'email.canceled v@other.example',
    ]);
  });

  it('is canceled while it is queued and nobody has begun', async () => {
    const id = await send();
    expect((await api().post(`/emails/${id}/cancel`)).status).toBe(200);
    expect((await mail(id)).status).toBe('canceled');
  });

  it('is not canceled twice, nor after a worker took it, nor after an attempt', async () => {
    const canceled = await send();
    await api().post(`/emails/${canceled}/cancel`);
    expect(await problem(await api().post(`/emails/${canceled}/cancel`))).toEqual({
      status: 409,
      error: 'conflict',
      message: 'The email is canceled. Only scheduled and queued mail can be canceled.',
      code: 'not_cancelable',
    });
    const id = await send();
    const jobs = await fixture.claim();
    expect((await mail(id)).status).toBe('sending');
    expect(await problem(await api().post(`/emails/${id}/cancel`))).toMatchObject({
      status: 409,
      message: expect.stringMatching(/^The email is sending\./) as string,
    });
    await fixture.settle(jobs, () => 'deferred');
    expect(await problem(await api().post(`/emails/${id}/cancel`))).toMatchObject({
      status: 409,
      message: expect.stringMatching(/^The email is deferred\./) as string,
    });
  });

  it('is canceled only as a whole: one recipient who was served keeps it', async () => {
    const id = await send({ to: ['u@recipient.example', 'v@other.example'] });
    const [first, second] = await fixture.claim();
    await fixture.settle([first], () => 'delivered');
    await fixture.database.query(
      `UPDATE recipients SET claimed_by = NULL, status = 'queued' WHERE email_id = $1 AND ordinal = 1`,
      [id],
    );
    expect(second.domain).toBe('other.example');
    expect(await problem(await api().post(`/emails/${id}/cancel`))).toMatchObject({
      status: 409,
      code: 'not_cancelable',
      message: 'The email is queued and begun to be sent. Only scheduled and queued mail can be canceled.',
    });
    expect((await mail(id)).recipients.map(({ status }) => status)).toEqual(['delivered', 'queued']);
    await fixture.deliver(() => 'delivered');
  });

  it('gets another time, which is told and counts for its lifetime too', async () => {
    const id = await send({ scheduled_at: soon() });
    const before = await explanation(id);
    const scheduled_at = soon(2 * 3_600_000);
    const answer = await api().patch(`/emails/${id}`).send({ scheduled_at });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ object: 'email', id, scheduled_at });
    expect(await mail(id)).toMatchObject({ status: 'scheduled', scheduled_at });
    const after = await explanation(id);
    expect(after.until).toBe(scheduled_at);
    expect(Date.parse(after.gives_up_at) - Date.parse(before.gives_up_at)).toBe(
      Date.parse(scheduled_at) - Date.parse(before.until),
    );
    expect(await eventsOf(id, 2)).toEqual([
      'email.scheduled u@recipient.example',
      'email.scheduled u@recipient.example',
    ]);
  });

  it('goes out at once when its new time is now', async () => {
    const id = await send({ scheduled_at: soon() });
    expect(
      (
        await api()
          .patch(`/emails/${id}`)
          .send({ scheduled_at: soon(-30_000) })
      ).status,
    ).toBe(200);
    await fixture.deliver(() => 'delivered');
    expect((await mail(id)).status).toBe('delivered');
    expect(await problem(await api().patch(`/emails/${id}`).send({ scheduled_at: soon() }))).toMatchObject({
      status: 409,
      code: 'not_cancelable',
      message: 'The email is delivered. Only scheduled mail can be given another time.',
    });
  });

  it.each([
    [{}, 'missing_required_field'],
    [{ scheduled_at: '2026-01-31T09:30:00' }, 'validation_error'],
    [{ scheduled_at: new Date(Date.now() + 73 * 3_600_000).toISOString() }, 'validation_error'],
    [{ scheduled_at: new Date(Date.now() - 90_000).toISOString() }, 'validation_error'],
  ])('refuses the time %j', async (body, name) => {
    const id = await send({ scheduled_at: soon() });
    const answer = await api().patch(`/emails/${id}`).send(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ name, details: [{ field: 'scheduled_at' }] });
  });

  describe('and whose queue held it back when it was due', () => {
    const queue = 'domain:recipient.example';
    const held = async () =>
      (await new QueueDepths(fixture.database).held()).find((one) => one.queue === queue)?.held ?? 0;
    const sendAndHoldBack = async (): Promise<string> => {
      const id = await send({ scheduled_at: soon(100) });
      const [job] = await until(async () => {
        const jobs = await fixture.claim();
        return jobs.length > 0 && jobs;
      });
      const text = 'Mail to recipient.example is paused.';
      const reason = { kind: 'suspended', queue, source: null, text, words: null, mx: null } as const;
      await gateway.app.get(Queue).requeue(job, new Date(Date.now() + 3_600_000), reason);
      expect(await held()).toBe(1);
      return id;
    };

    it('is not sent before its new time, though the queue is opened', async () => {
      const id = await sendAndHoldBack();
      const at = soon(86_400_000);
      expect((await api().patch(`/emails/${id}`).send({ scheduled_at: at })).status).toBe(200);
      expect(await held()).toBe(0);
      await new HeldQueues(fixture.database).resume(queue);
      const explained = (await api().get(`/emails/${id}/explain`)).body as { recipients: object[] };
      expect(explained.recipients).toMatchObject([{ state: 'scheduled', waiting_for: 'schedule', until: at }]);
      await api().post(`/emails/${id}/cancel`);
    });

    it('waits for nothing any more once it is canceled', async () => {
      const id = await sendAndHoldBack();
      expect((await api().post(`/emails/${id}/cancel`)).status).toBe(200);
      expect(await held()).toBe(0);
      expect(await new HeldQueues(fixture.database).resume(queue)).toMatchObject({ recipients: 0 });
    });
  });

  it('is not rescheduled when it was never scheduled', async () => {
    const id = await send();
    expect(await problem(await api().patch(`/emails/${id}`).send({ scheduled_at: soon() }))).toMatchObject({
      status: 409,
      message: 'The email is queued. Only scheduled mail can be given another time.',
    });
    await api().post(`/emails/${id}/cancel`);
  });

  it('gives its units of this month back when it was scheduled', async () => {
    await gateway.app.get(Accounts).setPlan(account.accountId, '100');
    const used = async () => (await gateway.app.get(Allowances).usage(account.accountId)).used;
    await until(async () => (await gateway.app.get(Allowances).limitOf(account.accountId)) === 100);
    const id = await send({ to: ['u@recipient.example', 'v@other.example'], scheduled_at: soon() });
    expect(await used()).toBe(2);
    await api().post(`/emails/${id}/cancel`);
    expect(await used()).toBe(0);
    const old = await send({ scheduled_at: soon() });
    await fixture.database.query(`UPDATE emails SET created_at = created_at - interval '32 days' WHERE id = $1`, [old]);
    await api().post(`/emails/${old}/cancel`);
    expect(await used()).toBe(1);
  });

  it('is as if it were not there for another account', async () => {
    const id = await send({ scheduled_at: soon() });
    const stranger = gateway.agent((await gateway.account()).key);
    for (const [method, path, body] of [
      ['patch', '', { scheduled_at: soon() }],
      ['post', '/cancel', undefined],
      ['post', '/retry', undefined],
    ] as const) {
      const foreign = await stranger[method](`/emails/${id}${path}`).send(body);
      const unknown = await stranger[method](`/emails/${newId('em')}${path}`).send(body);
      expect([foreign.status, unknown.status]).toEqual([404, 404]);
    }
    expect((await mail(id)).status).toBe('scheduled');
  });

  it(`is either canceled or delivered, and the answer says which: ${RACERS} cancels at the moment of the claim`, async () => {
    const ids = await sendMany(RACERS);
    // All of them fall due within one second from here.
    const first = Date.now() + 400;
    await fixture.database.query(
      `UPDATE recipients r SET due_at = to_timestamp($2 / 1000.0) + make_interval(secs => 0.002 * n)
         FROM unnest($1::text[]) WITH ORDINALITY AS racer (id, n) WHERE r.email_id = racer.id`,
      [ids, first],
    );
    let running = true;
    const worker = async () => {
      while (running) {
        await fixture.settle(await fixture.claim(40), () => 'delivered');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const workers = [worker(), worker()];
    const answers: number[] = [];
    const race = async (from: number) => {
      for (let i = from; i < RACERS; i += WORKERS) {
        const at = first + 2 * i + Math.random() * 60 - 40;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - Date.now())));
        answers[i] = (await api().post(`/emails/${ids[i]}/cancel`)).status;
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, (_, i) => race(i)));
    const waiting = `SELECT count(*)::int AS n FROM emails WHERE id = ANY($1) AND status NOT IN ('delivered', 'canceled')`;
    await until(async () => (await fixture.database.query<{ n: number }>(waiting, [ids])).rows[0].n === 0, {
      withinMs: 40_000,
    });
    running = false;
    await Promise.all(workers);
    const { rows } = await fixture.database.query<{ id: string; mail: string; recipient: string; attempts: number }>(
      `SELECT e.id, e.status AS mail, r.status AS recipient, (SELECT count(*)::int FROM attempts a WHERE a.email_id = e.id) AS attempts
         FROM emails e JOIN recipients r ON r.email_id = e.id WHERE e.id = ANY($1)`,
      [ids],
    );
    const ends = new Map(rows.map((row) => [row.id, `${row.mail} ${row.recipient} ${row.attempts}`]));
    const told = ids.map((id, i) => `${answers[i]} ${ends.get(id)}`);
    const counts = new Map<string, number>();
    for (const end of told) counts.set(end, (counts.get(end) ?? 0) + 1);
    console.info('cancel race:', Object.fromEntries(counts));
    const agreed = ['200 canceled canceled 0', '409 delivered delivered 1'];
    expect([...counts.keys()].filter((end) => !agreed.includes(end))).toEqual([]);
  }, 60_000);

  async function explanation(id: string): Promise<{ until: string; gives_up_at: string }> {
    const { recipients } = (await api().get(`/emails/${id}/explain`)).body as {
      recipients: { until: string; gives_up_at: string }[];
    };
    return recipients[0];
  }
});
