import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const SHOWN = `data:image/png;base64,${PIXEL.toString('base64')}`;
const png = { status: 200, headers: { 'content-type': 'image/png' }, body: PIXEL };

let gateway: GatewayApp;
let host: WebhookReceiver;
let key: string;
let from: string;

beforeAll(async () => {
  [gateway, host] = await Promise.all([sharedGateway(), WebhookReceiver.start()]);
  const account = await gateway.account();
  key = account.key;
  from = `hello@${account.domain}`;
});
afterAll(() => host.close());

async function send(html: string): Promise<string> {
  const sent = await gateway
    .agent(key)
    .post('/emails')
    .send({ from, to: ['ada@example.com'], subject: 'x', html });
  expect(sent.status).toBe(201);
  return (sent.body as { id: string }).id;
}

const load = (id: string, token: string | undefined = key) => gateway.agent(token).post(`/app/message/${id}/images`);

describe('POST /app/message/:id/images', () => {
  it('is the document with the images of other hosts, requested by this host without cookies and Referer', async () => {
    for (const path of ['/a.png', '/b.png', '/c.png', '/d.png']) host.script(path, png);
    const id = await send(
      `<img src="${host.url('/a.png')}"><img src="${host.url('/a.png')}"><table background="${host.url('/b.png')}"><td>x</table>` +
        `<p style="background:url(${host.url('/c.png')})">y</p><style>p{background:url('${host.url('/d.png')}')}</style>`,
    );
    const before = host.calls.length;
    const { status, body } = await load(id);
    expect(status).toBe(200);
    const { html, ...counts } = body as { html: string };
    expect(counts).toEqual({ images: 4, loaded: 4 });
    expect(html.split(SHOWN)).toHaveLength(6);
    expect(html).not.toContain('127.0.0.1');
    const calls = host.calls.slice(before);
    expect(calls.map(({ path }) => path).toSorted()).toEqual(['/a.png', '/b.png', '/c.png', '/d.png']);
    for (const { headers } of calls) {
      expect(Object.keys(headers).toSorted()).toEqual(['accept-encoding', 'connection', 'host', 'user-agent']);
    }
  });

  it('follows redirects, and leaves out what is no image, fails, or does not end', async () => {
    host.script('/moved.png', { status: 302, headers: { location: '/there.png' } });
    host.script('/there.png', png);
    host.script('/page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<script>1</script>' });
    host.script('/quote', { status: 200, headers: { 'content-type': 'image/png"><script>' }, body: PIXEL });
    host.script('/gone.png', 404);
    for (let i = 0; i < 6; i += 1) host.script('/loop', { status: 302, headers: { location: '/loop' } });
    const paths = ['/moved.png', '/page', '/quote', '/gone.png', '/loop'];
    const id = await send(paths.map((path) => `<img src="${host.url(path)}">`).join(''));
    const { body } = await load(id);
    expect(body).toEqual({
      html: `<img src="${SHOWN}">${'<img src="data:,">'.repeat(4)}`,
      images: 5,
      loaded: 1,
    });
  });

  it('loads at most 100 images, and no more than the limit of bytes', async () => {
    const large = { ...png, body: Buffer.alloc(4.5 * 1024 * 1024) };
    for (let i = 0; i < 5; i += 1) host.script(`/large/${i}`, large);
    host.script('/large/5', { ...png, body: Buffer.alloc(6 * 1024 * 1024) });
    const big = await send([5, 0, 1, 2, 3, 4].map((i) => `<img src="${host.url(`/large/${i}`)}">`).join(''));
    expect((await load(big)).body).toMatchObject({ images: 6, loaded: 4 });
    const before = host.calls.length;
    const many = await send(Array.from({ length: 900 }, (_, i) => `<img src="${host.url(`/many/${i}`)}">`).join(''));
    expect((await load(many)).body).toMatchObject({ images: 900, loaded: 0 });
    expect(host.calls.length - before).toBe(100);
  });

  it('shows one image many times only up to the limit of bytes', async () => {
    host.script('/repeated', { ...png, body: Buffer.alloc(5 * 1024 * 1024) });
    const id = await send(`<img src="${host.url('/repeated')}">`.repeat(6));
    const { html } = (await load(id)).body as { html: string };
    expect(html.split('data:image/png')).toHaveLength(5);
    expect(html.split('data:,')).toHaveLength(3);
  });

  it('is refused while the images of another message of the account load, and ends with its reader', async () => {
    host.script('/silent.png', 'silent');
    const id = await send(`<img src="${host.url('/silent.png')}">`);
    const reader = new AbortController();
    const open = host.connectionsMade;
    const first = fetch(`${gateway.url}/app/message/${id}/images`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      signal: reader.signal,
    }).catch(() => null);
    await until(async () => host.connectionsMade > open, { what: 'the request for the image' });
    const second = await load(id);
    expect([second.status, second.headers['retry-after']]).toEqual([429, '5']);
    reader.abort();
    await first;
    await until(async () => host.connectionsOpen === 0, { what: 'the end of the connection', withinMs: 4_000 });
  });

  it('is not there for another account, without a key, or without HTML', async () => {
    const id = await send('<p>x</p>');
    const other = await gateway.account();
    expect((await load(id, other.key)).status).toBe(404);
    expect((await gateway.agent().post(`/app/message/${id}/images`)).status).toBe(401);
    const text = await gateway
      .agent(key)
      .post('/emails')
      .send({ from, to: ['a@example.com'], subject: 'x', text: 'x' });
    expect((await load((text.body as { id: string }).id)).status).toBe(404);
  });
});
