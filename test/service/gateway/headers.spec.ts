import { beforeAll, describe, expect, it } from 'vitest';
import { CapturedMessages } from '#libs/emails';
import { rawResponse, statusesOf } from '../../support/attacks/raw-http.js';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';

let gateway: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;
beforeAll(async () => {
  gateway = await sharedGateway();
  own = await gateway.account();
});

const mail = (headers: Record<string, string> = {}) => ({
  from: `Shop <orders@${own.domain}>`,
  to: 'ada@example.com',
  subject: 'Your order',
  text: 'Thank you.',
  headers,
});

describe('header fields of a mail that only this service or other servers set', () => {
  it.each([
    'Feedback-ID',
    'feedback-id',
    'X-Postloft-Ref',
    'X-POSTLOFT-Anything',
    'Delivered-To',
    'ARC-Seal',
    'arc-message-signature',
    'ARC-Authentication-Results',
    'Authentication-Results',
  ])('are refused with 400 that names them: %s', async (name) => {
    const { agent } = gateway;
    for (const path of ['/emails', '/resend/emails']) {
      const { status, body } = await agent(own.key)
        .post(path)
        .send(mail({ [name]: 'mx.example.org; dkim=pass' }));
      expect([path, status, body]).toMatchObject([path, 400, { message: expect.stringContaining(`headers.${name}`) }]);
    }
    const batch = await agent(own.key)
      .post('/emails/batch')
      .send([mail(), mail({ [name]: 'x' })]);
    expect([batch.status, batch.body]).toMatchObject([400, { errors: [{ index: 1, field: `headers.${name}` }] }]);
  });
});

describe('a request with two of a header that may occur once', () => {
  const request = (...headers: string[]) =>
    rawResponse(
      { port: gateway.port },
      'GET /domains HTTP/1.1',
      `Authorization: Bearer ${own.key}`,
      'Connection: close',
      ...headers,
      '',
      '',
    );

  it.each([
    ['Host: localhost', 'Host: localhost'],
    ['Host: localhost', 'HOST: elsewhere.example'],
    ['Host: localhost', 'Authorization: Bearer other'],
    ['Host: localhost', 'Idempotency-Key: a', 'Idempotency-Key: b'],
    ['Host: localhost', 'Content-Type: application/json', 'content-type: text/plain'],
  ])('is answered 400: %s, %s', async (...headers) => {
    const answer = await request(...headers);
    expect(statusesOf(answer)).toEqual([400]);
    expect(answer).toMatch(/The header [\w-]+ must be given once/);
  });

  it('is answered 400 on a kept connection too, and other repeated headers are left alone', async () => {
    const answer = await rawResponse(
      { port: gateway.port },
      ...['GET /healthz HTTP/1.1', 'Host: localhost', 'Accept: a/b', 'Accept: c/d', ''],
      ...['GET /healthz HTTP/1.1', 'Host: localhost', 'Host: localhost', 'Connection: close', '', ''],
    );
    expect(statusesOf(answer)).toEqual([200, 400]);
  });
});

describe('DELETE /captured', () => {
  it('needs a scope that may write', async () => {
    const create = async (scopes: string[]) =>
      ((await gateway.agent(own.key).post('/api-keys').send({ name: 'Limited', scopes })).body as { token: string })
        .token;
    const { id: emailId } = (await gateway.agent(own.key).post('/emails').send(mail())).body as { id: string };
    const content = Buffer.from('Subject: x\r\n\r\n');
    await gateway.app.get(CapturedMessages).store({ emailId, mailFrom: '', rcptTo: ['ada@example.com'], content });
    const [reader, sender] = [await create(['emails.read']), await create(['emails.send'])];
    const refused = await gateway.agent(reader).delete('/captured');
    expect([refused.status, refused.body]).toMatchObject([403, { name: 'restricted_api_key' }]);
    expect((await gateway.agent(reader).get('/captured')).body).toMatchObject({ data: [{ email_id: emailId }] });
    expect((await gateway.agent(sender).delete('/captured')).body).toMatchObject({ deleted: true, count: 1 });
  });
});
