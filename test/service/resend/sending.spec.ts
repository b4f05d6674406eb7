import type { CreateEmailOptions, CreateEmailResponseSuccess } from 'resend';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { databaseClock } from '#libs/kernel';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { good, refused, resendClient, timestamp, uuid } from '../../support/resend/resend-client.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

let gateway: GatewayApp;
let files: WebhookReceiver;
let own: Awaited<ReturnType<GatewayApp['account']>>;
let resend: ReturnType<typeof resendClient>;

beforeAll(async () => {
  [gateway, files] = await Promise.all([sharedGateway(), WebhookReceiver.start()]);
});
beforeEach(async () => {
  own = await gateway.account();
  resend = resendClient(gateway.url, own.key);
});
afterAll(async () => {
  await files.close();
});

const mail = (over: Partial<CreateEmailOptions> = {}) =>
  ({
    from: `Shop <orders@${own.domain}>`,
    to: 'ada@example.com',
    subject: 'Hello',
    html: '<p>Hi</p>',
    ...over,
  }) as CreateEmailOptions;

const send = (over: Partial<CreateEmailOptions> = {}) => good(resend.emails.send(mail(over)));
/** A value that the package's types would not let pass. */
const untyped = (value: unknown) => value as never;
const HOUR = 3_600_000;

describe('resend.emails.send', () => {
  it('takes everything that its options have', async () => {
    const { data, error, headers } = await resend.emails.send(
      mail({
        to: ['Ada <ada@example.com>', 'bob@example.com'],
        cc: 'carol@example.com',
        bcc: ['dave@example.com'],
        replyTo: 'desk@example.com',
        text: 'Hi',
        headers: { 'X-Order': '1207' },
        tags: [
          { name: 'campaign', value: 'spring' },
          { name: 'order', value: 'x'.repeat(256) },
        ],
        topicId: 'b6d24b8e-af0b-4c3c-be0c-359bbd97381e',
      }),
    );
    expect([error, data]).toEqual([
      null,
      { object: 'email', id: uuid() } satisfies CreateEmailResponseSuccess & { object: string },
    ]);
    expect(headers?.['x-ignored-fields']).toBe('topic_id');
    expect(await good(resend.emails.get(data?.id ?? ''))).toMatchObject({
      to: ['Ada <ada@example.com>', 'bob@example.com'],
      cc: ['carol@example.com'],
      bcc: ['dave@example.com'],
      reply_to: ['desk@example.com'],
      text: 'Hi',
      // Kept as a map: in no order that the sender chose.
      tags: expect.arrayContaining([
        { name: 'campaign', value: 'spring' },
        { name: 'order', value: 'x'.repeat(256) },
      ]) as object,
    });
  });

  it('takes one mail once for an idempotency key, and refuses another body', async () => {
    const options = { idempotencyKey: 'order-1207' };
    const [first, again] = [await resend.emails.send(mail(), options), await resend.emails.send(mail(), options)];
    expect(again.data).toEqual(first.data);
    expect([first.headers?.['idempotent-replayed'], again.headers?.['idempotent-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    expect(await refused(resend.emails.send(mail({ subject: 'Other' }), options))).toEqual([
      409,
      'invalid_idempotent_request',
    ]);
    expect(await refused(resend.emails.send(mail(), { idempotencyKey: 'x'.repeat(257) }))).toEqual([
      400,
      'invalid_idempotency_key',
    ]);
    expect(await good(resend.emails.list())).toMatchObject({ data: [{ id: first.data?.id }] });
  });

  it.each([
    ['in 5 min', 5 * 60_000],
    ['in 2 hours', 2 * HOUR],
    ['in an hour', HOUR],
    ['in 3 days', 72 * HOUR],
  ])('reads "%s"', async (scheduledAt, ahead) => {
    // Times are of the database's clock, which may be some milliseconds behind that of the system.
    const before = databaseClock.now();
    const { id } = await send({ scheduledAt });
    const { scheduled_at, last_event } = await good(resend.emails.get(id));
    expect([last_event, scheduled_at]).toEqual(['scheduled', timestamp()]);
    expect(Date.parse(String(scheduled_at)) - before - ahead).toBeLessThan(60_000);
    expect(Date.parse(String(scheduled_at))).toBeGreaterThanOrEqual(before + ahead);
  });

  it('takes a timestamp, and sends at once what was due a moment ago', async () => {
    const at = new Date(Date.now() + HOUR).toISOString();
    expect(await good(resend.emails.get((await send({ scheduledAt: at })).id))).toMatchObject({ scheduled_at: at });
    const past = new Date(Date.now() - 30_000).toISOString();
    const { id } = await send({ scheduledAt: past });
    expect(await good(resend.emails.get(id))).toMatchObject({ scheduled_at: null, last_event: 'queued' });
  });

  it.each([
    [{ scheduledAt: 'in 30 days' }, [400, 'validation_error'], 'scheduled_at'],
    [{ scheduledAt: 'soon' }, [400, 'validation_error'], 'scheduled_at'],
    [{ to: 'nobody' }, [400, 'validation_error'], 'to'],
    [{ from: 'Shop' }, [400, 'validation_error'], 'from'],
    [{ subject: undefined }, [422, 'missing_required_field'], 'subject'],
    [{ html: undefined }, [422, 'missing_required_field'], 'html'],
    [{ to: undefined, from: undefined }, [422, 'missing_required_field'], 'from is required; to is required'],
    [{ from: 'orders@elsewhere.example.net' }, [403, 'validation_error'], 'elsewhere.example.net'],
    [{ tags: [{ name: 'a b', value: 'x' }] }, [400, 'validation_error'], 'tags'],
    [{ tags: [{ name: 'a', value: 'x'.repeat(257) }] }, [400, 'validation_error'], '256'],
    [{ headers: { 'X-A': 'a\r\nBcc: b@example.com' } }, [400, 'validation_error'], 'headers.X-A'],
    [{ headers: { 'Message-ID': '<a@b>' } }, [400, 'validation_error'], 'headers.Message-ID'],
    [{ template: { id: 'welcome' }, html: undefined, subject: undefined }, [422, 'missing_required_field'], 'template'],
  ] as const)('refuses %j', async (over, answer, named) => {
    const call = resend.emails.send(mail(untyped(over)));
    expect(await refused(call)).toEqual(answer);
    expect((await call).error?.message).toContain(named);
  });

  it('leaves out who is suppressed, unless nobody is left to send to', async () => {
    await good(resend.suppressions.add({ email: 'ada@example.com' }));
    const { id } = await send({ to: ['Ada@Example.com', 'bob@example.com'] });
    expect(await good(resend.emails.get(id))).toMatchObject({ last_event: 'queued' });
    const all = await send({ to: 'ada@example.com' });
    expect(await good(resend.emails.get(all.id))).toMatchObject({ last_event: 'suppressed' });
  });
});

describe('attachments', () => {
  const text = Buffer.from('Total: 7').toString('base64');
  const sent = async (attachments: CreateEmailOptions['attachments']) => {
    const { id } = await send({ attachments });
    return (await good(resend.emails.attachments.list({ emailId: id }))).data;
  };

  it('have content in any of the forms that the package knows', async () => {
    const bytes = new TextEncoder().encode('Total: 7');
    const list = await sent([
      { filename: 'a.txt', content: text },
      { filename: 'b.txt', content: Buffer.from('Total: 7') },
      { filename: 'c.txt', content: bytes },
      { filename: 'd.txt', content: bytes.buffer },
    ]);
    expect(list.map(({ filename, size }) => [filename, size])).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => [`${name}.txt`, 8]),
    );
  });

  it('have a type under any of its names, with parameters of any form', async () => {
    const pdf = Buffer.from('%PDF-1.7\n%%EOF\n').toString('base64');
    const list = await sent([
      { filename: 'a.pdf', content: pdf, contentType: 'application/octet-stream' },
      { filename: 'b.pdf', content: pdf, contentType: "application/x-pdf; name*=UTF-8''%e2%82%ac.pdf" },
      { filename: 'c.pdf', content: pdf, contentType: 'application/pdf; name="Größe.pdf"; x=' },
      { filename: 'd.csv', content: text, contentType: 'application/vnd.ms-excel' },
      { filename: 'e.jfif', content: Buffer.from([0xff, 0xd8, 0xff, 0xe0]), contentType: 'image/pjpeg' },
    ]);
    expect(list.map(({ content_type }) => content_type)).toEqual([
      ...Array<string>(3).fill('application/pdf'),
      'text/csv',
      'image/jpeg',
    ]);
  });

  it.each([100_000, 3_000_000])('may be an array of %i numbers', async (size) => {
    const content = Array.from({ length: size }, (_, i) => 32 + (i % 90));
    const body = { ...mail(), attachments: [{ filename: 'a.txt', content }] };
    const { id } = (await gateway.agent(own.key).post('/resend/emails').send(body).expect(200)).body as { id: string };
    const { data } = await good(resend.emails.attachments.list({ emailId: id }));
    expect(data).toMatchObject([{ filename: 'a.txt', size }]);
    const { pathname, search } = new URL(data[0].download_url);
    const file = await fetch(gateway.url + pathname + search);
    expect(Buffer.from(await file.arrayBuffer()).equals(Buffer.from(content))).toBe(true);
    await gateway.agent(own.key).post('/resend/emails/batch').send([body]).expect(200);
    // Only clients of Resend write files this way.
    const native = await gateway.agent(own.key).post('/emails').send(body);
    expect([native.status, (native.body as { name: string }).name]).toEqual([400, 'validation_error']);
  });

  it('as an array that does not fit into a request name base64', async () => {
    const content = Array<number>(4_300_000).fill(255);
    const body = { ...mail(), attachments: [{ filename: 'a.txt', content }] };
    const answer = await gateway.agent(own.key).post('/resend/emails').send(body);
    expect(answer.body).toMatchObject({
      statusCode: 422,
      name: 'validation_error',
      message: expect.stringMatching(/larger than 16 MiB\. .*base64/) as string,
    });
  });

  it('as an array with anything but bytes are refused', async () => {
    const body = { ...mail(), attachments: [{ filename: 'a.txt', content: [1, 2, 256] }] };
    const answer = await gateway.agent(own.key).post('/resend/emails').send(body);
    expect(answer.body).toMatchObject({
      statusCode: 400,
      name: 'validation_error',
      details: [{ field: 'attachments[0].content', code: 'invalid_bytes' }],
    });
  });

  it('need neither name nor type', async () => {
    const pdf = Buffer.from('%PDF-1.7\n%%EOF\n');
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg',
      'base64',
    );
    const list = await sent([
      { content: pdf },
      { content: pdf, filename: false },
      { content: png, filename: 'logo.png', contentId: 'logo' },
      { content: text, filename: 'a.csv', contentType: 'text/csv' },
    ]);
    expect(
      list.map(({ filename, content_type, content_disposition, content_id }) => [
        filename,
        content_type,
        content_disposition,
        content_id,
      ]),
    ).toEqual([
      ['attachment-1.pdf', 'application/pdf', 'attachment', undefined],
      ['attachment-2.pdf', 'application/pdf', 'attachment', undefined],
      ['logo.png', 'image/png', 'inline', 'logo'],
      ['a.csv', 'text/csv', 'attachment', undefined],
    ]);
  });

  it('are fetched from their path', async () => {
    files.script('/bill.txt', { status: 200, body: 'Total: 7' });
    const [file] = await sent([{ path: files.url('/bill.txt') }]);
    expect(file).toMatchObject({ filename: 'bill.txt', size: 8, content_type: 'text/plain' });
  });

  it.each([
    [{ filename: 'a.txt', content: 'no base64!' }, [422, 'invalid_attachment'], 'attachments[0].content'],
    [{ filename: 'a.txt' }, [422, 'missing_required_field'], 'attachments[0].content'],
    [{ filename: '../a.txt', content: 'YQ==' }, [400, 'validation_error'], 'attachments[0].filename'],
    [{ filename: 'a.exe', content: 'YQ==' }, [422, 'invalid_attachment'], 'attachments[0].filename'],
    [{ path: 'ftp://example.com/a.txt' }, [400, 'validation_error'], 'attachments[0].path'],
  ] as const)('are refused: %j', async (attachment, answer, field) => {
    const call = resend.emails.send(mail({ attachments: [untyped(attachment)] }));
    expect(await refused(call)).toEqual(answer);
    expect((await call).error).toMatchObject({ details: [{ field }] });
  });

  it('are refused where their path brings nothing', async () => {
    files.script('/gone.txt', { status: 404 });
    const call = resend.emails.send(mail({ attachments: [{ path: files.url('/gone.txt') }] }));
    expect(await refused(call)).toEqual([422, 'invalid_attachment']);
  });
});

describe('resend.batch.send', () => {
  const bad = () => mail({ to: 'nobody' });

  it('takes mails in order, once for an idempotency key', async () => {
    const mails = ['one', 'two', 'three'].map((subject) => mail({ subject }));
    const options = { idempotencyKey: 'batch-7' };
    const { data } = await good(resend.batch.send(mails, options));
    expect(data).toEqual([{ id: uuid() }, { id: uuid() }, { id: uuid() }]);
    const subjects = await Promise.all(data.map(async ({ id }) => (await good(resend.emails.get(id))).subject));
    expect(subjects).toEqual(['one', 'two', 'three']);
    expect((await good(resend.batch.send(mails, options))).data).toEqual(data);
    expect(await refused(resend.batch.send(mails.slice(1), options))).toEqual([409, 'invalid_idempotent_request']);
  });

  it('takes all or none when strict', async () => {
    for (const options of [{}, { batchValidation: 'strict' as const }]) {
      const call = resend.batch.send([mail(), bad()], options);
      expect(await refused(call)).toEqual([400, 'validation_error']);
      expect((await call).error?.message).toContain('Email 1 of the batch');
    }
    expect((await good(resend.emails.list())).data).toEqual([]);
  });

  it('takes the good ones when permissive, and tells of the others', async () => {
    const options = { batchValidation: 'permissive' as const };
    const answer = await good(resend.batch.send([mail(), bad(), mail({ from: 'x@elsewhere.example.net' })], options));
    expect(answer).toEqual({
      data: [{ id: uuid() }],
      errors: [
        { index: 1, message: expect.stringMatching(/to/) as string },
        { index: 2, message: expect.stringMatching(/elsewhere\.example\.net|not verified/) as string },
      ],
    });
    expect(await good(resend.batch.send([mail()], options))).toEqual({ data: [{ id: uuid() }], errors: [] });
    expect(await refused(resend.batch.send([bad()], options))).toEqual([422, 'validation_error']);
  });

  it('has 1 to 100 mails', async () => {
    expect(await refused(resend.batch.send([]))).toEqual([400, 'validation_error']);
    expect(await refused(resend.batch.send(Array.from({ length: 101 }, () => mail())))).toEqual([
      400,
      'validation_error',
    ]);
    expect((await good(resend.batch.send(Array.from({ length: 100 }, () => mail())))).data).toHaveLength(100);
  });
});
