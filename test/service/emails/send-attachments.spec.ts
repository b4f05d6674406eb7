import { LIMITS } from '#libs/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

const PDF = '%PDF-1.7\n%%EOF\n';
let gateway: GatewayApp;
let files: WebhookReceiver;
let own: Awaited<ReturnType<GatewayApp['account']>>;
beforeAll(async () => {
  gateway = await sharedGateway();
  own = await gateway.account();
  files = await WebhookReceiver.start();
});
afterAll(async () => {
  await files.close();
});

/** Subject of one byte, no text: what is added counts alone. */
const mail = (over: object) => ({
  from: `orders@${own.domain}`,
  to: 'ada@example.com',
  subject: 's',
  scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  ...over,
});
async function post(body: unknown, headers: Record<string, string> = {}, path = '/emails') {
  const response = await gateway
    .agent(own.key)
    .post(path)
    .type('json')
    .set(headers)
    .send(body as object);
  return { status: response.status, body: response.body as Record<string, unknown> };
}
const file = (bytes: number, name = 'a.txt') => ({
  filename: name,
  content: Buffer.alloc(bytes, 'a').toString('base64'),
});

describe('a mail with a file by path', () => {
  it('is accepted with the file in it', async () => {
    files.script('/a.pdf', { status: 200, body: PDF });
    const attachments = [{ filename: 'a.pdf', path: files.url('/a.pdf') }];
    const { status, body } = await post(mail({ html: 'h', attachments }));
    expect(status).toBe(201);
    const found = (await gateway.agent(own.key).get(`/emails/${String(body['id'])}`)).body as object;
    expect(found).toMatchObject({
      attachments: [{ filename: 'a.pdf', content_type: 'application/pdf', size: PDF.length }],
    });
  });

  it('is refused with the field when the file does not come, is no file of that type, or is too large', async () => {
    files.script('/moved.pdf', { status: 301, headers: { location: files.url('/a.pdf') } });
    files.script('/page.pdf', { status: 200, body: '<html>not found</html>' });
    files.script('/endless.txt', 'endless');
    const sent = (name: string) =>
      post(mail({ html: 'h', attachments: [{ filename: name, path: files.url(`/${name}`) }] }));
    expect(await sent('moved.pdf')).toMatchObject({
      status: 422,
      body: { name: 'invalid_attachment', details: [{ field: 'attachments[0].path', code: 'redirect_not_followed' }] },
    });
    expect(await sent('page.pdf')).toMatchObject({
      status: 422,
      body: { name: 'invalid_attachment', details: [{ field: 'attachments[0].content', code: 'type_mismatch' }] },
    });
    expect(await sent('endless.txt')).toMatchObject({ status: 422, body: { error: 'unprocessable_entity' } });
  });

  it('fetches nothing for who may not send it', async () => {
    const attachments = [{ filename: 'a.pdf', path: files.url('/secret.pdf') }];
    const refused = [
      mail({ html: 'h', from: 'a@elsewhere.example', attachments }),
      mail({ html: 'h', to: 'x', attachments }),
    ];
    for (const body of refused) expect((await post(body)).status).toBeGreaterThanOrEqual(400);
    expect(files.callsTo('/secret.pdf')).toEqual([]);
  });
});

describe('the content type of a file', () => {
  it.each([
    ['application/octet-stream', 'a.pdf', 'application/pdf'],
    ['application/x-pdf', 'a.pdf', 'application/pdf'],
    ["application/pdf; name*=UTF-8''%e2%82%ac%20rates.pdf", 'a.pdf', 'application/pdf'],
    [`application/pdf; name="${'Größe '.repeat(100)}.pdf"`, 'a.pdf', 'application/pdf'],
    ['application/pdf; name=', 'a.pdf', 'application/pdf'],
    ['application/vnd.ms-excel', 'a.csv', 'text/csv'],
  ])('may be %s for %s', async (content_type, filename, stored) => {
    const content = Buffer.from(filename.endsWith('.pdf') ? PDF : 'a;b').toString('base64');
    const { status, body } = await post(mail({ text: 't', attachments: [{ filename, content, content_type }] }));
    expect([status, body['error']]).toEqual([201, undefined]);
    const found = (await gateway.agent(own.key).get(`/emails/${String(body['id'])}`)).body as object;
    expect(found).toMatchObject({ attachments: [{ filename, content_type: stored }] });
  });

  it('follows from the content of a file that is fetched', async () => {
    files.script('/scan', { status: 200, body: PDF });
    const attachments = [
      { filename: 'scan', path: files.url('/scan'), content_type: 'application/octet-stream' },
      { filename: 'data', path: files.url('/a.csv'), content_type: 'application/vnd.ms-excel' },
    ];
    files.script('/a.csv', { status: 200, body: 'a;b' });
    const { body } = await post(mail({ text: 't', attachments }));
    const found = (await gateway.agent(own.key).get(`/emails/${String(body['id'])}`)).body as object;
    expect(found).toMatchObject({
      attachments: [
        { filename: 'scan.pdf', content_type: 'application/pdf' },
        { filename: 'data', content_type: 'text/csv' },
      ],
    });
  });
});

describe('ten megabytes', () => {
  const most = LIMITS.messageBytes - 's'.length;

  it.each([
    ['html', (bytes: number) => ({ html: 'a'.repeat(bytes) })],
    [
      'text of two-byte letters',
      (bytes: number) => ({ text: 'é'.repeat(Math.floor(bytes / 2)) + 'a'.repeat(bytes % 2) }),
    ],
    ['one file', (bytes: number) => ({ html: 'h', attachments: [file(bytes - 1)] })],
    [
      'ten files',
      (bytes: number) => ({
        html: 'h',
        attachments: Array.from({ length: 10 }, (_, i) =>
          file(Math.floor((bytes - 1) / 10) + (i === 0 ? (bytes - 1) % 10 : 0), `${i}.txt`),
        ),
      }),
    ],
    ['headers and html', (bytes: number) => ({ headers: { 'X-A': 'v'.repeat(997) }, html: 'a'.repeat(bytes - 1000) })],
  ])('are the most that a mail may have, to the byte: %s', async (_what, of) => {
    expect((await post(mail(of(most)))).status).toBe(201);
    const refused = await post(mail(of(most + 1)));
    expect(refused).toMatchObject({ status: 422, body: { error: 'unprocessable_entity' } });
    const batch = await post([mail({ text: 't' }), mail(of(most + 1))], {}, '/emails/batch');
    expect(batch).toMatchObject({ status: 422, body: { errors: [{ index: 1, error: 'unprocessable_entity' }] } });
  });

  it('are counted as they are: a compressed body is not read', async () => {
    for (const encoding of ['gzip', 'deflate', 'br', 'x-unknown'])
      expect(await post(mail({ text: 't' }), { 'content-encoding': encoding })).toMatchObject({
        status: 415,
        body: { error: 'unsupported_media_type' },
      });
  });
});
