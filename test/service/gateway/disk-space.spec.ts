import { tmpdir } from 'node:os';
import { Health } from '#libs/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

/** More than any disk has free. */
const LOW_WATER = '999999TiB';

describe('with an embedded database whose disk is below DISK_LOW_WATER', () => {
  let gateway: GatewayApp;
  let key: string;
  let from: string;

  beforeAll(async () => {
    gateway = await startGatewayApp({ DISK_LOW_WATER: LOW_WATER }, (config) =>
      config.withEmbeddedDatabase({ url: config.settings.DATABASE_URL ?? '', folder: tmpdir() }),
    );
    const account = await gateway.account();
    [key, from] = [account.key, `a@${account.domain}`];
  });
  afterAll(() => gateway?.stop());

  const mail = () => ({ from, to: 'x@example.com', subject: 's', text: 't' });
  const refused = {
    status: 503,
    body: { error: 'service_unavailable', message: expect.stringContaining('short of disk space') as string },
  };

  it.each([
    ['/emails', mail],
    ['/emails/batch', () => [mail(), mail()]],
    ['/resend/emails', mail],
  ])('POST %s is answered 503, with the time to wait', async (path, body) => {
    const answer = await gateway.agent(key).post(path).send(body());
    expect(answer.status).toBe(503);
    if (!path.startsWith('/resend')) expect(answer).toMatchObject(refused);
    expect(answer.headers['retry-after']).toBe('60');
  });

  it('everything else is answered', async () => {
    expect((await gateway.agent(key).get('/emails')).status).toBe(200);
    expect((await gateway.agent(key).post('/suppressions').send({ email: 'x@example.org' })).status).toBeLessThan(300);
  });

  it('the service is not ready, and says how much is free', async () => {
    expect((await gateway.app.get(Health).failures())['storage']).toMatch(/^the disk has less than \d+ MiB free/);
    const { text } = await gateway.agent(key).get('/metrics');
    expect(text).toMatch(/^postloft_disk_free_bytes [1-9]\d+/m);
  });
});

it('a database elsewhere has no low-water mark', async () => {
  const gateway = await startGatewayApp({ DISK_LOW_WATER: LOW_WATER });
  const { key, domain } = await gateway.account();
  const mail = { from: `a@${domain}`, to: 'x@example.com', subject: 's', text: 't' };
  expect((await gateway.agent(key).post('/emails').send(mail)).status).toBe(201);
  expect((await gateway.agent(key).get('/metrics')).text).not.toMatch(/^postloft_disk_free_bytes \d/m);
  await gateway.stop();
});
