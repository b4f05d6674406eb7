import { beforeAll, describe, expect, it } from 'vitest';
import { good, resendClient, uuid } from '../../support/resend/resend-client.js';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';

const IDEMPOTENT = { idempotencyKey: 'order-1207' };

let program: ServiceAccount;
let resend: ReturnType<typeof resendClient>;

beforeAll(async () => {
  program = await openAccount('rest');
  resend = resendClient(program.url, program.key);
});

const mail = (to: string | string[]) => ({
  from: `Shop <${program.from}>`,
  to,
  subject: 'Your order 1207',
  html: '<p>It has shipped.</p>',
  tags: [{ name: 'campaign', value: 'spring' }],
  attachments: [{ filename: 'bill.txt', content: Buffer.from('Total: 7') }],
});

const lastEvent = (id: string, event: string) =>
  until(async () => (await good(resend.emails.get(id))).last_event === event, { what: `${id} to be ${event}` });

/** Type and recipient of each event of a mail. */
const eventsOf = async (id: string) => {
  const answer = await program.call('GET', `/emails/em_${id.replaceAll('-', '')}/events`);
  const { data } = (await answer.json()) as { data: { type: string; data: { recipient: string } }[] };
  return data.map((event) => [event.type, event.data.recipient]);
};

describe('the resend package, with another base URL', () => {
  let id: string;

  it('sends a mail once and sees it arrive', async () => {
    ({ id } = await good(resend.emails.send(mail('ada@reader.example.net'), IDEMPOTENT)));
    expect(await good(resend.emails.send(mail('ada@reader.example.net'), IDEMPOTENT))).toMatchObject({ id });
    await lastEvent(id, 'delivered');
    const { data } = await good(resend.emails.list());
    expect(data).toMatchObject([{ id, to: ['ada@reader.example.net'], last_event: 'delivered', cc: null }]);
  });

  it('loads the file again', async () => {
    const [file] = (await good(resend.emails.attachments.list({ emailId: id }))).data;
    expect(file).toMatchObject({ filename: 'bill.txt', size: 8, content_disposition: 'attachment' });
    const { pathname, search } = new URL(file.download_url);
    expect(await (await fetch(program.url + pathname + search)).text()).toBe('Total: 7');
  });

  it('counts it', async () => {
    const options = { dimensions: ['period', 'domain', 'email'] as ('period' | 'domain' | 'email')[], emailId: [id] };
    const { totals, data } = await until(
      async () => {
        const metrics = await good(resend.emails.metrics(options));
        return metrics.totals.delivered === 1 && metrics;
      },
      { withinMs: 30_000, what: 'the delivery to be counted' },
    );
    expect(totals).toMatchObject({ sent: 1, delivered: 1, bounced: 0, received: 0, delivery_rate: 1, open_rate: 0 });
    const period = expect.stringMatching(/T00:00:00\.000Z$/) as string;
    expect(data).toMatchObject([
      { period, domain_id: uuid(), domain_name: program.domain, email_id: id, sent: 1, delivered: 1 },
    ]);
    expect(await good(resend.emails.metrics({ metrics: ['received'] }))).toMatchObject({ totals: { received: 0 } });
    const { emails, domains } = await good(resend.usage.get());
    expect([emails.daily, emails.monthly]).toMatchObject([{ used: 1, limit: null }, { used: 1 }]);
    expect(domains.used).toBe(1);
  });

  it('skips suppressed recipients and reports them', async () => {
    await good(resend.suppressions.add({ email: 'bob@reader.example.net' }));
    const to = ['Bob@reader.example.net', 'carol@reader.example.net'];
    const some = await good(resend.emails.send(mail(to)));
    const none = await good(resend.emails.send(mail('bob@reader.example.net')));
    await lastEvent(some.id, 'delivered');
    await lastEvent(none.id, 'suppressed');
    const events = await eventsOf(some.id);
    expect(events).toContainEqual(['email.suppressed', 'Bob@reader.example.net']);
    expect(events).toContainEqual(['email.delivered', 'carol@reader.example.net']);
    expect(await eventsOf(none.id)).toContainEqual(['email.suppressed', 'bob@reader.example.net']);
    expect(await good(resend.suppressions.remove('bob@reader.example.net'))).toMatchObject({ deleted: true });
    await lastEvent((await good(resend.emails.send(mail('bob@reader.example.net')))).id, 'delivered');
  });

  it('schedules, reschedules and cancels', async () => {
    const { id: waits } = await good(
      resend.emails.send({ ...mail('ada@reader.example.net'), scheduledAt: 'in 1 hour' }),
    );
    await good(resend.emails.update({ id: waits, scheduledAt: 'tomorrow at 9am' }));
    expect((await good(resend.emails.get(waits))).scheduled_at).toMatch(/T09:00:00\.000Z$/);
    await good(resend.emails.cancel(waits));
    await lastEvent(waits, 'canceled');
    const { id: goes } = await good(
      resend.emails.send({ ...mail('ada@reader.example.net'), scheduledAt: 'in 1 hour' }),
    );
    await good(resend.emails.update({ id: goes, scheduledAt: new Date().toISOString() }));
    await lastEvent(goes, 'delivered');
  });

  it('sends many at once', async () => {
    const plain = { ...mail('ada@reader.example.net'), attachments: undefined };
    const batch = [plain, { ...plain, to: 'nobody' }, { ...plain, to: 'bob@reader.example.net' }];
    const { data, errors } = await good(resend.batch.send(batch, { batchValidation: 'permissive' }));
    expect(errors).toMatchObject([{ index: 1 }]);
    for (const sent of data) await lastEvent(sent.id, 'delivered');
  });

  it('finds its requests in the log', async () => {
    const { data } = await until(async () => {
      const page = await good(resend.logs.list({ limit: 100 }));
      return page.data.some(({ endpoint }) => endpoint === '/emails/batch') && page;
    });
    expect(data.find(({ endpoint }) => endpoint === '/emails/batch')).toMatchObject({
      method: 'POST',
      response_status: 200,
    });
    expect(await good(resend.logs.get(data[0].id))).toMatchObject({
      object: 'log',
      id: data[0].id,
      request_body: null,
    });
  });
});
