import { newId } from '#libs/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';

let gateway: GatewayApp;
beforeAll(async () => {
  gateway = await sharedGateway();
});

const get = (path: string, headers: Record<string, string> = {}) => gateway.agent().get(path).set(headers);
const policyOf = ({ headers }: { headers: Record<string, string> }) => headers['content-security-policy'];

describe('the dashboard', () => {
  it.each(['/', '/app'])('is where %s leads', async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers['location']]).toEqual([302, '/app/']);
  });

  it.each(['/app/', '/app/emails', '/app/emails/em_1', '/app/login?error=link_expired'])(
    'answers %s with the page, whose scripts and styles are files of this host',
    async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.headers['cache-control']).toBe('no-cache');
      expect(policyOf(answer)).toContain("default-src 'none'; script-src 'self';");
      expect(policyOf(answer)).toContain("frame-ancestors 'none'");
      expect(policyOf(answer)).not.toMatch(/https?:|\*|script-src[^;]*unsafe/);
      expect(answer.text).not.toMatch(/https?:|<script>|\son\w+=/);
      const parts = [...answer.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, part]) => part);
      expect(parts.length).toBeGreaterThan(2);
      for (const part of parts) expect(part).toMatch(/^\/app\/(?:assets\/[\w.-]+|api\/session)$/);
    },
  );

  it('gives its files with their types, to be kept for ever, compressed for clients that accept it', async () => {
    const page = (await get('/app/')).text;
    const script = /src="(\/app\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
    const packed = await get(script, { 'accept-encoding': 'gzip' });
    expect(packed.status).toBe(200);
    expect(packed.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const codings = [
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['GZIP;q=0.5', 'gzip'],
      ['gzip;q=0, br;q=0.0', undefined],
      ['identity', undefined],
    ] as const;
    for (const [accepted, coding] of codings) {
      const answer = await get(script, { 'accept-encoding': accepted });
      expect([accepted, answer.status, answer.headers['content-encoding']]).toEqual([accepted, 200, coding]);
    }
    expect((await get('/app/assets/missing.js')).status).toBe(404);
    expect((await get('/app/assets/..%2findex.html')).status).toBe(404);
  });

  it('needs at most 250 kB, compressed, for its first page', async () => {
    const page = (await get('/app/')).text;
    const files = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, part]) => part);
    let bytes = 0;
    for (const file of files)
      bytes += Number((await get(file, { 'accept-encoding': 'gzip, br' })).headers['content-length']);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(250_000);
  });
});

describe('GET /app/message/:id', () => {
  // One transparent pixel.
  const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

  async function send(): Promise<{ id: string; key: string }> {
    const { key, domain } = await gateway.account();
    const answer = await gateway
      .agent(key)
      .post('/emails')
      .send({
        from: `a@${domain}`,
        to: 'b@example.com',
        subject: 'Hostile',
        html: '<script>parent.location="https://evil.test"</script><img src="cid:logo"><img src="https://evil.test/x.png">',
        attachments: [{ filename: 'logo.png', content: IMAGE, content_id: 'logo', content_type: 'image/png' }],
      });
    expect(answer.body).toHaveProperty('id');
    return { id: (answer.body as { id: string }).id, key };
  }

  it('is the HTML in a document of its own, which runs nothing and loads nothing', async () => {
    const { id, key } = await send();
    const answer = await gateway.agent(key).get(`/app/message/${id}`);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(policyOf(answer)).toMatch(/^sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:;/);
    expect(policyOf(answer)).not.toContain('script');
    expect(answer.headers).toMatchObject({ 'x-frame-options': 'SAMEORIGIN', 'x-dns-prefetch-control': 'off' });
    expect(answer.text).toContain(`<img src="data:image/png;base64,${IMAGE}">`);
    expect(answer.text).toContain('<img src="data:,">');
    expect(answer.text).not.toContain('evil.test');
  });

  it('is not there for another account, without a key, or for an unknown id', async () => {
    const { id, key } = await send();
    const other = await gateway.account();
    expect((await gateway.agent(other.key).get(`/app/message/${id}`)).status).toBe(404);
    expect((await gateway.agent().get(`/app/message/${id}`)).status).toBe(401);
    expect((await gateway.agent(key).get(`/app/message/${newId('em')}`)).status).toBe(404);
    expect((await gateway.agent(key).get('/app/message/nonsense')).status).toBe(404);
  });
});

describe('GET /app/message/:id/source', () => {
  it('is the message as one text, for a download', async () => {
    const { key, domain } = await gateway.account();
    const mail = { from: `Ann <a@${domain}>`, to: 'b@example.com', cc: ['c@example.com'], bcc: ['d@example.com'] };
    const sent = await gateway
      .agent(key)
      .post('/emails')
      .send({ ...mail, subject: 'Grüße', text: 'Hello' });
    const { id } = sent.body as { id: string };
    const answer = await gateway.agent(key).get(`/app/message/${id}/source`).buffer(true);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'message/rfc822']);
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="${id}.eml"`);
    const source = answer.text;
    expect(source).toContain(`From: Ann <a@${domain}>\r\n`);
    expect(source).toMatch(/^Cc: c@example\.com\r$/m);
    expect(source).toMatch(/^Message-ID: </m);
    expect(source).not.toContain('d@example.com');
  });

  it('and the check of its links are not there for another account', async () => {
    const { key, domain } = await gateway.account();
    const mail = { from: `a@${domain}`, to: 'b@example.com', subject: 'x', text: 'http://127.0.0.1/ ' };
    const { id } = (await gateway.agent(key).post('/emails').send(mail)).body as { id: string };
    const check = (token?: string) => gateway.agent(token).post(`/app/message/${id}/link-check`);
    const other = await gateway.account();
    expect((await gateway.agent(other.key).get(`/app/message/${id}/source`)).status).toBe(404);
    expect((await check(other.key)).status).toBe(404);
    expect((await check()).status).toBe(401);
    const answer = await check(key);
    expect([answer.status, (answer.body as { data: { url: string }[] }).data.map(({ url }) => url)]).toEqual([
      200,
      ['http://127.0.0.1/'],
    ]);
  });
});
