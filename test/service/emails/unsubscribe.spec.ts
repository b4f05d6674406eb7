import { request as rawRequest } from 'node:http';
import type { Response, Test } from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SendingDomains } from '#libs/domains';
import { UnsubscribeLink } from '../../../libs/emails/src/message/unsubscribe-link.js';
import { Database } from '#libs/persistence';
import { domainSuppressions } from '#libs/suppressions';
import { mail } from '../../support/samples/mail.js';
import { startGatewayApp, type GatewayApp, type Verb } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';

type Account = Awaited<ReturnType<GatewayApp['account']>>;
interface Event {
  type: string;
  data: Record<string, unknown>;
}

const ONE_CLICK = 'List-Unsubscribe=One-Click';

describe('one-click unsubscription', () => {
  let gateway: GatewayApp;
  let account: Account;
  beforeAll(async () => {
    gateway = await startGatewayApp({ TRUST_PROXY: 'on' });
    account = await gateway.account();
  });
  afterAll(() => gateway.stop());

  const send = async (to: string | string[], over: object = {}, by = account) => {
    const from = `Shop <news@${by.domain}>`;
    return gateway
      .agent(by.key)
      .post('/emails')
      .send(mail({ from, to, list_unsubscribe: true, ...over }));
  };
  /** The path of the link of recipient `ordinal` of a mail that was just sent. */
  const linkOf = async (sent: Response, ordinal = 0) => {
    expect(sent.status).toBe(201);
    const { id } = sent.body as { id: string };
    return { id, path: new URL(gateway.app.get(UnsubscribeLink).url(id, ordinal)).pathname };
  };
  /** From an address of its own, unless it says from where. */
  const visit = (method: Verb | 'head', path: string, from = `2001:db8:${(++visits).toString(16)}::1`) =>
    gateway.agent()[method](path).set('x-forwarded-for', from);
  let visits = 0;
  const post = (path: string) => visit('post', path);
  const entry = (address: string, by = account) =>
    gateway.agent(by.key).get(`/suppressions/${address}?domain_id=${by.domainId}`);
  const eventsOf = async (id: string, type: string) => {
    const answer = await gateway.agent(account.key).get(`/emails/${id}/events`);
    return (answer.body as { data: Event[] }).data.filter((event) => event.type === type);
  };

  it('acts on a POST: one entry for the sending domain, one event, and the next mail is refused', async () => {
    const { id, path } = await linkOf(await send('ada@example.org', { tags: { campaign: 'spring' } }));
    const answer = await post(path).type('form').send(ONE_CLICK);
    expect(answer.status).toBe(200);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers.location).toBeUndefined();
    expect((await entry('ada@example.org')).body).toMatchObject({
      origin: 'unsubscribe',
      reason: 'unsubscribe',
      source_id: id,
      scope: expect.anything() as unknown,
    });
    const refused = await send('Ada@Example.org');
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ details: [{ code: 'suppressed' }] });
    const events = await until(async () => {
      const found = await eventsOf(id, 'email.unsubscribed');
      return found.length > 0 && found;
    });
    expect(events).toHaveLength(1);
    expect(events[0].data).toMatchObject({ recipient: 'ada@example.org', tags: { campaign: 'spring' } });
    expect(events[0].data['unsubscribed_at']).toMatch(/^\d{4}-.*Z$/);
  });

  it.each<[what: string, fill: (request: Test) => Test]>([
    ['no body', (request) => request],
    ['a form', (request) => request.type('form').send(ONE_CLICK)],
    ['a multipart form', (request) => request.field('List-Unsubscribe', 'One-Click')],
    ['JSON', (request) => request.type('json').send('{"a":1}')],
    ['JSON that is none', (request) => request.type('json').send('{')],
    ['CSV', (request) => request.type('text/csv').send('a,b')],
    ['text', (request) => request.type('text/plain; charset=koi8-r').send('hello')],
    ['bytes of no type', (request) => request.send(Buffer.from([0, 255, 1]))],
  ])('takes a POST with %s', async (what, fill) => {
    const address = `${what.replaceAll(' ', '-').toLowerCase()}@example.net`;
    const { path } = await linkOf(await send(address));
    expect((await fill(post(`${path}?utm=1`))).status).toBe(200);
    expect((await entry(address)).status).toBe(200);
  });

  it('answers a POST without headers or body, as a bare client sends it', async () => {
    const { path } = await linkOf(await send('bare@example.net'));
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const call = rawRequest(gateway.url + path, { method: 'POST' }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      call.on('error', reject).end();
    });
    expect(status).toBe(200);
    expect((await entry('bare@example.net')).status).toBe(200);
  });

  it('unsubscribes nobody by GET or HEAD, a hundred times over', async () => {
    const { id, path } = await linkOf(await send('grace@example.org'));
    for (let i = 0; i < 100; i++) expect((await visit(i % 10 === 0 ? 'head' : 'get', path)).status).toBe(200);
    expect((await entry('grace@example.org')).status).toBe(404);
    expect((await send('grace@example.org')).status).toBe(201);
    expect(await eventsOf(id, 'email.unsubscribed')).toEqual([]);
  });

  it('shows a page that needs no script, names the domain and hides the address', async () => {
    const { path } = await linkOf(await send('katherine@example.org'));
    const answer = await visit('get', path);
    const page = answer.text;
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(page).toContain(account.domain);
    expect(page).toContain('k…@example.org');
    expect(page).not.toContain('katherine');
    expect(page).toMatch(/<form method="post"><button type="submit">/);
    expect(page).not.toMatch(/<script|http:|https:|<img/);
    const done = await post(path).type('form').send('');
    expect(done.status).toBe(200);
    const confirmation = done.text;
    expect(confirmation).toMatch(/<h1>You are unsubscribed<\/h1>/);
    expect(confirmation).not.toContain('katherine');
  });

  it('is idempotent, also when it comes twice at once', async () => {
    const { id, path } = await linkOf(await send('twice@example.org'));
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(path)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await post(path)).status).toBe(200);
    await until(async () => (await eventsOf(id, 'email.unsubscribed')).length > 0);
    expect(await eventsOf(id, 'email.unsubscribed')).toHaveLength(1);
  });

  it('tells of it also where another entry stands already, and again after the address was put back', async () => {
    await gateway
      .agent(account.key)
      .post('/suppressions')
      .send({ email: 'own@example.org', domain_id: account.domainId });
    const { id, path } = await linkOf(await send('own@example.org', { suppression_policy: 'skip' }));
    await post(path);
    await until(async () => (await eventsOf(id, 'email.unsubscribed')).length === 1);
    expect((await entry('own@example.org')).body).toMatchObject({ origin: 'manual' });
    await gateway.agent(account.key).delete(`/suppressions/own@example.org?domain_id=${account.domainId}`);
    await post(path);
    expect((await entry('own@example.org')).body).toMatchObject({ origin: 'unsubscribe' });
    await until(async () => (await eventsOf(id, 'email.unsubscribed')).length === 2);
  });

  it('gives each recipient a link of his own', async () => {
    const sent = await send(['one@example.org', 'two@example.org', 'three@example.org']);
    const { path } = await linkOf(sent, 1);
    await post(path);
    const listed = await Promise.all(['one', 'two', 'three'].map((name) => entry(`${name}@example.org`)));
    expect(listed.map(({ status }) => status)).toEqual([404, 200, 404]);
  });

  it('stops mail of the one sending domain only', async () => {
    const other = await gateway.account();
    const { path } = await linkOf(await send('scope@example.org'));
    await post(path);
    expect((await send('scope@example.org', {}, other)).status).toBe(201);
    const listed = await gateway.agent(account.key).get('/suppressions/scope@example.org');
    expect(listed.status).toBe(404);
  });

  it('is not forgotten when the account removes the domain and adds it again', async () => {
    const sender = await gateway.account();
    const linkTo = async (address: string) => (await linkOf(await send(address, {}, sender))).path;
    const [before, meanwhile, after] = [
      await linkTo('gone@example.org'),
      await linkTo('meanwhile@example.org'),
      await linkTo('after@example.org'),
    ];
    await post(before);
    const change = async () => {
      expect((await gateway.agent(sender.key).delete(`/domains/${sender.domainId}`)).status).toBe(200);
      await post(meanwhile);
      const added = await gateway.agent(sender.key).post('/domains').send({ name: sender.domain });
      sender.domainId = (added.body as { id: string }).id;
    };
    for (let times = 0; times < 2; times++) {
      await change();
      expect((await entry('gone@example.org', sender)).body).toMatchObject({ origin: 'unsubscribe' });
    }
    // The mails were sent from the domain that was removed first.
    await post(after);
    for (const address of ['meanwhile@example.org', 'after@example.org'])
      expect((await entry(address, sender)).body).toMatchObject({ origin: 'unsubscribe' });
    // Nobody else's list changes, whoever has the name next.
    const other = await gateway.account();
    expect((await gateway.agent(sender.key).delete(`/domains/${sender.domainId}`)).status).toBe(200);
    const theirs = await gateway.agent(other.key).post('/domains').send({ name: sender.domain });
    other.domainId = (theirs.body as { id: string }).id;
    expect((await entry('gone@example.org', other)).status).toBe(404);
    await gateway.app.get(SendingDomains).addVouched(sender.accountId, sender.domain, domainSuppressions.restore);
    const refused = await send('gone@example.org', {}, sender);
    expect(refused.status).toBe(422);
  });

  it('does nothing lasting for a test mail, but answers and tells the same', async () => {
    const { id, path } = await linkOf(await send('test@example.org', { sandbox: true }));
    const page = await visit('get', path);
    expect(page.status).toBe(200);
    expect((await post(path).type('form').send(ONE_CLICK)).status).toBe(200);
    expect((await entry('test@example.org')).status).toBe(404);
    const [event] = await until(async () => {
      const found = await eventsOf(id, 'email.unsubscribed');
      return found.length > 0 && found;
    });
    expect(event.data).toMatchObject({ mode: 'test' });
    expect((await send('test@example.org')).status).toBe(201);
  });

  it('puts no address of the simulator on a list', async () => {
    const { path } = await linkOf(await send('delivered@sim.postloft.test'));
    expect((await post(path)).status).toBe(200);
    expect((await entry('delivered@sim.postloft.test')).status).toBe(404);
  });

  it('answers a link that is not ours, or whose mail is gone, with a page and 404', async () => {
    const { path } = await linkOf(await send('kept@example.org'));
    const gone = new URL(gateway.app.get(UnsubscribeLink).url('em_01978c0e5f7b7c3a9d21f0b64c1e88aa', 0)).pathname;
    const noSuchRecipient = new URL(
      gateway.app.get(UnsubscribeLink).url((await linkOf(await send('x@example.org'))).id, 9),
    ).pathname;
    const tampered = path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    for (const bad of [tampered, gone, noSuchRecipient, '/unsubscribe/x', `${path}A`, '/unsubscribe/..%2f'])
      for (const method of ['get', 'post'] as const) {
        const answer = await visit(method, bad);
        expect([method, bad, answer.status]).toEqual([method, bad, 404]);
        expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      }
    expect((await entry('kept@example.org')).status).toBe(404);
  });

  it('keeps only POST and GET for the path, and a bound on what is read', async () => {
    const { path } = await linkOf(await send('bound@example.org'));
    expect((await post(path).type('form').send('x'.repeat(70_000))).status).toBe(422);
    expect((await entry('bound@example.org')).status).toBe(404);
    expect((await visit('put', path)).status).toBe(401);
  });

  it('limits one address, but not by the account’s limit', async () => {
    const { path } = await linkOf(await send('limit@example.org'));
    const burst = () => Promise.all(Array.from({ length: 200 }, () => visit('get', path, '203.0.113.9')));
    let answers = await burst();
    // A machine that takes seconds for a burst stays below the limit.
    for (let again = 0; again < 5 && answers.every(({ status }) => status !== 429); again++) answers = await burst();
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0].headers['retry-after']).toBe('1');
    expect(answers.some(({ headers }) => 'ratelimit-limit' in headers)).toBe(false);
  });

  it('keeps of a mail what its links need, and nothing where the link is the caller’s own', async () => {
    const stored = async (list_unsubscribe: unknown) => {
      const { id } = await linkOf(await send('stored@example.com', { list_unsubscribe }));
      const { rows } = await gateway.app
        .get(Database)
        .query<{ unsubscribe: unknown }>('SELECT unsubscribe FROM emails WHERE id = $1', [id]);
      const shown = (await gateway.agent(account.key).get(`/emails/${id}`)).body;
      return { unsubscribe: rows[0].unsubscribe, headers: (shown as { headers: unknown }).headers };
    };
    expect(await stored(true)).toEqual({ unsubscribe: {}, headers: {} });
    expect(await stored({ one_click: true, mailto: 'mailto:stop@example.com?subject=x' })).toEqual({
      unsubscribe: { mailto: 'stop@example.com?subject=x' },
      headers: {},
    });
    expect(await stored({ one_click: true, url: 'https://example.com/u' })).toEqual({
      unsubscribe: null,
      headers: { 'List-Unsubscribe': '<https://example.com/u>', 'List-Unsubscribe-Post': ONE_CLICK },
    });
  });
});
