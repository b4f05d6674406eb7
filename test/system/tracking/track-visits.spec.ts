import { get } from 'node:http';
import { readParts } from '#libs/mime';
import { beforeAll, describe, expect, it } from 'vitest';
import { openAccount, openZones, type ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';
import { relayClient } from '../../support/services/relay-client.js';
import { capturedEntries, type Captured } from '../../support/services/captured.js';

interface VisitEvent {
  id: string;
  type: string;
  data: Record<string, unknown> & { recipient: string };
}

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const TARGET = 'https://shop.example/Größe?a=1&b=2#Part';
const HTML = [
  '<!doctype html><html><body>',
  '<!--[if mso]><a href="https://mso.example/">x</a><![endif]-->',
  '<a href="https://shop.example/Größe?a=1&amp;b=2#Part" class=big>Shop</a>',
  '<a href=\'https://other.example/\'>Other</a><a data-no-track href="https://plain.example/">Plain</a>',
  '<a href="mailto:help@shop.example">Mail</a><a href="https://login.example/once?t=1">Login</a>',
  '</body></html>',
].join('\r\n');

/** `fetch` does not send another Host. */
const statusAt = (base: string, path: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) =>
    get(base + path, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject),
  );

/** Opens and clicks from the submitted message to the events, with a browser's requests in between. */
describe('open and click tracking', () => {
  let program: ServiceAccount;
  beforeAll(async () => {
    program = await openAccount('rest');
    await program.call('PATCH', `/domains/${program.domainId}`, { tracking_exclude: ['login.example'] });
  });

  const idOf = async (answer: Response) => {
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { id: string }).id;
  };
  const send = async (over: Record<string, unknown>) =>
    idOf(await program.call('POST', '/emails', program.mail({ html: HTML, ...over })));
  const captured = (id: string, count?: number) => capturedEntries(program, id, count);
  const htmlOf = async ({ id }: Captured) => {
    const raw = Buffer.from(await (await program.call('GET', `/captured/${id}/raw`)).arrayBuffer());
    return readParts(raw).html ?? '';
  };
  const linksIn = (html: string) => [...html.matchAll(/href=["']([^"']*\/t\/c\/[^"']+)/g)].map(([, url]) => url);
  const pixelIn = (html: string) => /<img src="([^"]*\/t\/o\/[^"]+\.gif)"/.exec(html)?.[1];
  const visit = (url: string, init: RequestInit = {}) =>
    fetch(url, { redirect: 'manual', headers: { 'user-agent': CHROME }, ...init });
  const visits = (id: string, count: number) =>
    until(async () => {
      const { data } = (await (await program.call('GET', `/emails/${id}/events`)).json()) as { data: VisitEvent[] };
      const found = data.filter(({ type }) => type === 'email.opened' || type === 'email.clicked');
      return found.length === count && found;
    });

  it('tracks nothing unless asked', async () => {
    const [mail] = await captured(await send({}));
    expect((await htmlOf(mail)).trimEnd()).toBe(HTML);
  });

  it('rewrites links and inserts a pixel, for each recipient on its own, and nothing else', async () => {
    const id = await send({ to: ['ada@example.com', 'bob@example.com'], tracking: { opens: true, clicks: true } });
    const mails = await captured(id, 2);
    expect(mails.map(({ rcpt_to }) => rcpt_to.join()).sort()).toEqual(['ada@example.com', 'bob@example.com']);
    const htmls = await Promise.all(mails.map(htmlOf));
    for (const html of htmls) {
      const restored = html
        .replace(/<img src="[^"]*\/t\/o\/[^>]*>/, '')
        .replace(/href="[^"]*\/t\/c\/[^"]*"/, 'href="https://shop.example/Größe?a=1&amp;b=2#Part"')
        .replace(/href='[^']*\/t\/c\/[^']*'/, "href='https://other.example/'");
      expect(restored.trimEnd()).toBe(HTML);
      expect(linksIn(html)).toHaveLength(2);
    }
    expect(new Set(htmls.flatMap((html) => [...linksIn(html), pixelIn(html)])).size).toBe(6);
  });

  it('answers at once and records who opened and clicked', async () => {
    const id = await send({ to: 'ada@example.com', tracking: { opens: true, clicks: true } });
    const html = await htmlOf((await captured(id))[0]);
    const [shop] = linksIn(html);
    const pixel = await visit(pixelIn(html) ?? '');
    expect([pixel.status, pixel.headers.get('content-type'), pixel.headers.get('set-cookie')]).toEqual([
      ...[200, 'image/gif', null],
    ]);
    expect(pixel.headers.get('cache-control')).toContain('no-store');
    expect((await pixel.arrayBuffer()).byteLength).toBeGreaterThan(30);
    const clicked = await visit(shop);
    expect([clicked.status, clicked.headers.get('location')]).toEqual([
      302,
      TARGET.replace('Größe', 'Gr%C3%B6%C3%9Fe'),
    ]);
    await visit(pixelIn(html) ?? '');
    const [opened, click, again] = await visits(id, 3);
    expect(opened).toMatchObject({
      type: 'email.opened',
      data: { recipient: 'ada@example.com', open_count: 1, is_bot: false, bot_kind: null, user_agent: CHROME },
    });
    expect(opened.data['ip']).toMatch(/^127\.0\.0\.1$|^::1$/);
    expect(click).toMatchObject({ type: 'email.clicked', data: { click_url: TARGET, is_bot: false } });
    expect(again.data).toMatchObject({ open_count: 2 });
    const email = (await (await program.call('GET', `/emails/${id}`)).json()) as Record<string, unknown>;
    expect(email).toMatchObject({ status: 'delivered', last_event: 'opened', tracking: { opens: true, clicks: true } });
    const [{ visits: counted }] = email['recipients'] as { visits: Record<string, unknown> }[];
    expect(counted).toMatchObject({ opens: 2, bot_opens: 0, clicks: 1, bot_clicks: 0 });
    expect(counted['first_opened_at']).toBe(opened.data['opened_at']);
    expect(counted['last_opened_at']).toBe(again.data['opened_at']);
    expect(counted['first_clicked_at']).toBe(click.data['clicked_at']);
  });

  it('names bots and the rule that decided, and stores no client in privacy mode', async () => {
    const id = await send({ to: 'ada@example.com', tracking: { opens: true, clicks: true } });
    const html = await htmlOf((await captured(id))[0]);
    await visit(pixelIn(html) ?? '', { method: 'HEAD' });
    await visit(pixelIn(html) ?? '', { headers: { 'user-agent': 'Mozilla/5.0' } });
    await visit(linksIn(html)[0], { headers: { 'user-agent': CHROME, purpose: 'prefetch' } });
    await visit(pixelIn(html) ?? '');
    const events = await visits(id, 4);
    expect(events.map(({ data }) => [data['is_bot'], data['bot_kind'], data['bot_rule']])).toEqual([
      [true, 'head_request', 'head_request'],
      [true, 'apple_mpp', 'apple_privacy_proxy'],
      [true, 'prefetch', 'prefetch_header'],
      [false, null, null],
    ]);
    expect(events[3].data).toMatchObject({ user_agent: CHROME, open_count: 3 });
    await program.call('PATCH', `/domains/${program.domainId}`, { tracking_privacy: true });
    // Settings are cached for a second.
    await until(async () => {
      await visit(pixelIn(html) ?? '');
      const { data } = (await (await program.call('GET', `/emails/${id}/events`)).json()) as { data: VisitEvent[] };
      return data.at(-1)?.data['user_agent'] === null && data.at(-1)?.data['ip'] === null;
    });
  });

  it('redirects nowhere but to the links of its own messages', async () => {
    const id = await send({ to: 'ada@example.com', tracking: { clicks: true } });
    const html = await htmlOf((await captured(id))[0]);
    const [link] = linksIn(html);
    expect(pixelIn(html)).toBeUndefined();
    const [base, token] = [link.slice(0, link.lastIndexOf('/') + 1), link.slice(link.lastIndexOf('/') + 1)];
    const swapped = (at: number) => token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
    const foreign = Buffer.from('https://evil.example/').toString('base64url');
    const attempts = [
      ...Array.from(token, (_, at) => swapped(at)),
      ...[`${token}A`, token.slice(0, -1), `=${token}`, `${token}%00`, `${token}/`, `%${token}`, `${token}%2F..`],
      ...[foreign, `${token.slice(0, 47)}${foreign}`, `${token}${foreign}`, `${token}//evil.example`, '', '..%2f..%2f'],
      ...[`//evil.example/${token}`, `${token}\\evil.example`, encodeURIComponent(`https://evil.example/${token}`)],
      `%${token.charCodeAt(0).toString(16)}${token.slice(2)}`,
    ];
    for (const attempt of attempts) {
      const answer = await visit(base + attempt);
      expect([attempt, [400, 404, 429].includes(answer.status), answer.headers.get('location')]).toEqual([
        ...[attempt, true, null],
      ]);
    }
    for (const query of ['?url=https://evil.example/', '?target=//evil.example', '?next=https://evil.example'])
      expect((await visit(link + query)).headers.get('location')).toContain('https://shop.example/');
    // A token of an open is none of a click.
    expect((await visit(link.replace('/t/c/', '/t/o/') + '.gif')).status).toBeGreaterThanOrEqual(400);
  });

  it('follows links that mail clients and gateways have encoded or damaged at the end', async () => {
    const id = await send({ to: 'ada@example.com', tracking: { opens: true, clicks: true } });
    const html = await htmlOf((await captured(id))[0]);
    const [link] = linksIn(html);
    const hex = (text: string) => `%${text.charCodeAt(0).toString(16)}`;
    const spellings = (url: string): string[] => {
      const at = url.lastIndexOf('/') + 1;
      const [base, token] = [url.slice(0, at), url.slice(at)];
      const encoded = [
        token.replaceAll('-', '%2D').replaceAll('_', '%5F').replaceAll('.', '%2E'),
        ...[
          token.replace(/[-_.]/g, hex),
          token.replace(/./g, hex),
          token.replace(/./g, (one) => hex(one).toUpperCase()),
        ],
        token.replace(/./g, (one) => hex(one).replace('%', '%25')),
      ];
      return [...encoded, ...['=', '.', ')', '%3E', '%22', '%20', ',', '%2E'].map((end) => token + end)].map(
        (text) => base + text,
      );
    };
    for (const url of spellings(link)) {
      const answer = await visit(url);
      expect([url, answer.status, answer.headers.get('location')]).toEqual([
        ...[url, 302, TARGET.replace('Größe', 'Gr%C3%B6%C3%9Fe')],
      ]);
    }
    for (const url of spellings(pixelIn(html) ?? '')) expect([url, (await visit(url)).status]).toEqual([url, 200]);
  });

  it('refuses to track a domain without the alias, and uses the host of the domain with it', async () => {
    const name = `tracked-${program.id.slice(-8)}.example`;
    const dns = await openZones([name]);
    const domain = (await (await program.call('POST', '/domains', { name })).json()) as {
      id: string;
      records: { record: string; type: string; name: string; value: string; required: boolean }[];
    };
    const publish = (records: typeof domain.records) => {
      for (const { name: at, type, value } of records)
        dns.set(at, type === 'CNAME' ? { CNAME: value } : { TXT: [value] });
    };
    publish(domain.records.filter(({ required }) => required));
    const view = async () =>
      (await (await program.call('GET', `/domains/${domain.id}`)).json()) as {
        status: string;
        records: { record: string; status: string }[];
      };
    await until(async () => (await view()).status === 'active');
    const mail = {
      ...(program.mail({ html: HTML, from: `a@${name}` }) as object),
      tracking: { opens: true, clicks: true },
    };
    const refused = await program.call('POST', '/emails', mail);
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      details: [
        { field: 'tracking.opens', code: 'tracking_domain_not_verified' },
        { field: 'tracking.clicks', code: 'tracking_domain_not_verified' },
      ],
    });
    publish(domain.records.filter(({ record }) => record === 'Tracking'));
    await program.call('POST', `/domains/${domain.id}/verify`);
    await until(
      async () => (await view()).records.some(({ record, status }) => record === 'Tracking' && status === 'verified'),
      { what: 'the tracking record' },
    );
    const id = await until(async () => {
      const answer = await program.call('POST', '/emails', mail);
      return answer.status === 201 && ((await answer.json()) as { id: string }).id;
    });
    const html = await htmlOf((await captured(id))[0]);
    const pixel = new URL(pixelIn(html) ?? '');
    expect(pixel.hostname).toBe(`track.${name}`);
    const [own, ...others] = await Promise.all(
      [pixel.pathname, '/docs', '/domains', '/openapi.json', '/'].map((path) =>
        statusAt(program.url, path, pixel.host),
      ),
    );
    expect([own, new Set(others)]).toEqual([200, new Set([404])]);
    // On the dashboard's host and on those of others, the link would be a redirect in their names.
    const [click] = linksIn(html).map((url) => new URL(url));
    const { host: publicHost, port } = new URL(program.url);
    const hosts = [click.host, publicHost, `track.other.example:${port}`, `other.${click.host}`, `localhost:${port}`];
    const statuses = await Promise.all(hosts.map((host) => statusAt(program.url, click.pathname, host)));
    expect(statuses).toEqual([302, 404, 404, 404, 404]);
    await dns.close();
  });

  it('tracks relayed messages by X-Service-Track, and leaves the rest of them as they are', async () => {
    const relay = relayClient(program);
    const sent = await relay.sendMail({
      from: program.from,
      to: 'ada@example.com',
      subject: 'Tracked',
      text: 'See https://shop.example/',
      html: HTML,
      headers: { 'X-Service-Track': 'opens, clicks' },
    });
    const id = /em_[0-9a-f]{32}/.exec(sent.response)?.[0] ?? '';
    expect(sent.response).not.toContain('ignored');
    const [mail] = await captured(id);
    const raw = Buffer.from(await (await program.call('GET', `/captured/${mail.id}/raw`)).arrayBuffer());
    const { text, html = '' } = readParts(raw);
    expect(text?.trim()).toBe('See https://shop.example/');
    expect(raw.toString('latin1')).not.toMatch(/^x-service-track/im);
    expect((await visit(linksIn(html)[0])).headers.get('location')).toContain('https://shop.example/Gr');
    await expect(
      relay.sendMail({
        from: program.from,
        to: 'a@b.example',
        subject: 's',
        text: 't',
        headers: { 'X-Service-Track': 'yes' },
      }),
    ).rejects.toThrow(/554 5\.6\.0/);
    relay.close();
  });

  it('sends visits of bots only to webhooks that ask for them', async () => {
    // Visits of the other tests may still be on their way.
    program = await openAccount('rest');
    const create = async (fields: object) =>
      (await (
        await program.call('POST', '/webhooks', {
          url: 'https://hooks.example.com/x',
          events: ['email.opened'],
          ...fields,
        })
      ).json()) as { id: string; include_bots: boolean };
    const [people, all] = [await create({}), await create({ include_bots: true })];
    expect([people.include_bots, all.include_bots]).toEqual([false, true]);
    const id = await send({ to: 'ada@example.com', tracking: { opens: true } });
    const pixel = pixelIn(await htmlOf((await captured(id))[0])) ?? '';
    await visit(pixel, { headers: { 'user-agent': 'curl/8.0' } });
    await visits(id, 1);
    await visit(pixel);
    await visits(id, 2);
    const delivered = async (webhook: { id: string }) =>
      ((await (await program.call('GET', `/webhooks/${webhook.id}/events`)).json()) as { data: unknown[] }).data.length;
    await until(async () => (await delivered(all)) === 2);
    await until(async () => (await delivered(people)) === 1);
    for (const each of [people, all]) await program.call('DELETE', `/webhooks/${each.id}`);
  });
});
