import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Response } from 'supertest';
import { type GatewayApp, sharedGateway, startGatewayApp } from '../../support/fixtures/gateway-app.js';
import { utf16 } from '../../support/samples/small-files.js';
import { until } from '../../support/timing/until.js';

/** Requests as programs and exports of customers spell them. */
let gateway: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;

beforeAll(async () => {
  gateway = await sharedGateway();
  own = await gateway.account();
});

const mail = (over: object = {}) => ({
  from: `Shop <orders@${own.domain}>`,
  to: 'ada@example.com',
  subject: 'Your order',
  text: 'Thank you.',
  ...over,
});
const agent = () => gateway.agent(own.key);
const summary = ({ status, body }: Response) =>
  status < 300 ? String(status) : `${status} ${JSON.stringify((body as { details?: unknown }).details ?? body)}`;
const send = (over: object = {}) => agent().post('/emails').send(mail(over));

async function accepted(over: object): Promise<Record<string, unknown> & { id: string }> {
  const created = await send(over);
  expect(summary(created)).toBe('201');
  const { id } = created.body as { id: string };
  return (await agent().get(`/emails/${id}`)).body as Record<string, unknown> & { id: string };
}

const idsOf = (response: Response) => ((response.body as { data?: { id: string }[] }).data ?? []).map(({ id }) => id);

describe('addresses that a proxy forwards', () => {
  let proxied: GatewayApp;
  let account: Awaited<ReturnType<GatewayApp['account']>>;

  beforeAll(async () => {
    const env = { TRUST_PROXY: '127.0.0.1,10.0.0.0/8', HTTP_AUTH_FAILURES_PER_MINUTE: '20' };
    proxied = await startGatewayApp(env);
    account = await proxied.account();
  });
  afterAll(() => proxied.stop());

  const keyFor = async (...allowed_ips: string[]) => {
    const made = await proxied.agent(account.key).post('/api-keys').send({ name: 'Restricted', allowed_ips });
    return made.body as { id: string; token: string };
  };
  const ask = (token: string, forwarded: string | string[]) =>
    proxied
      .agent(token)
      .get('/emails')
      .set('x-forwarded-for', forwarded as string);

  it.each([
    ['198.51.100.23:443', '198.51.100.23'],
    ['198.51.100.23:0', '198.51.100.23'],
    ['[2001:DB8:0:1::25]:8443', '2001:db8:0:1::25'],
    ['[2001:db8:0:1:0:0:0:25]', '2001:db8:0:1::25'],
    ['"[2001:db8:0:1::25]:61000"', '2001:db8:0:1::25'],
    ['::ffff:198.51.100.23', '198.51.100.23'],
    ['[::ffff:198.51.100.23]:4711', '198.51.100.23'],
    ['192.0.2.66:1, 198.51.100.23:50044, 10.1.2.3:443', '198.51.100.23'],
    [', 198.51.100.23:50044 ,\t10.1.2.3', '198.51.100.23'],
    [['192.0.2.66', '198.51.100.23:2222'], '198.51.100.23'],
  ])('%s is read', async (forwarded, ip) => {
    const { id, token } = await keyFor(ip);
    expect(summary(await ask(token, forwarded))).toBe('200');
    const logged = await until(async () => {
      const list = await proxied.agent(account.key).get(`/logs?api_key_id=${id}`);
      return (list.body as { data: { ip: string }[] }).data[0];
    });
    expect(logged.ip).toBe(ip);
  });

  it.each([
    '198.51.100.23, _mX3k',
    '198.51.100.23, 198.51.100.230x',
    '198.51.100.23, localhost:443',
    '198.51.100.23.evil',
  ])('%s does not open a restricted key', async (forwarded) => {
    const { token } = await keyFor('198.51.100.23');
    expect(summary(await ask(token, forwarded))).toMatch(/^403 /);
  });

  it('changing ports of an IPv6 client do not evade the limit of wrong keys', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 30; i += 1)
      statuses.push((await ask(`pl_live_wrong${i}`, `[2001:db8:7::${i.toString(16)}]:${40_000 + i}`)).status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(9);
  });
});

describe('addresses in two Unicode forms', () => {
  it.each([
    ['zoë@example.com', 'NFD', 'NFC'],
    ['zoë.smith@example.com', 'NFC', 'NFD'],
    ['민준@example.com', 'NFD', 'NFC'],
    ['nguyễn@example.com', 'NFD', 'NFC'],
    ['がく@example.com', 'NFD', 'NFC'],
    ['क़लम@example.com', 'NFC', 'NFD'],
    ['άννα@example.com', 'NFD', 'NFC'],
  ] as const)('%s is suppressed as %s and refused as %s', async (address, stored, sent) => {
    await agent()
      .post('/suppressions')
      .send({ email: address.normalize(stored) })
      .expect(201);
    expect(summary(await send({ to: `Someone <${address.normalize(sent)}>` }))).toMatch(/^422 .*suppress/);
    const path = `/suppressions/${encodeURIComponent(address.normalize(sent))}`;
    expect(summary(await agent().get(path))).toBe('200');
    expect(summary(await agent().delete(path))).toBe('200');
  });

  it('are one recipient in to, cc and bcc', async () => {
    const address = 'Ångström@example.com';
    const shown = await accepted({
      to: address.normalize('NFD'),
      cc: 'A\u030angström@example.com',
      bcc: '\u212bngström@example.com',
    });
    expect(shown['recipients']).toHaveLength(1);
  });

  it('are one address in an import and a batch', async () => {
    const [a, b] = ['trần@example.net', '서연@example.net'];
    const file = `email\n${a.normalize('NFD')}\n${a.normalize('NFC')}\n${b.normalize('NFD')}\n`;
    const imported = await agent().post('/suppressions/import').set('content-type', 'text/csv').send(file);
    expect(imported.body).toMatchObject({ created: 2, existing: 1 });
    const removed = await agent()
      .post('/suppressions/batch/remove')
      .send({ emails: [a.normalize('NFC'), b.normalize('NFC')] });
    expect(summary(removed)).toBe('200');
    expect(summary(await agent().get(`/suppressions/${encodeURIComponent(a)}`))).toMatch(/^404 /);
  });

  it('are one address in filters, also in the domain', async () => {
    const { id } = await accepted({ to: 'françois@bücher.example'.normalize('NFD') });
    const found = await agent()
      .get('/emails')
      .query({ to: 'françois@bücher.example'.normalize('NFC') });
    expect(idsOf(found)).toEqual([id]);
    const ascii = await agent()
      .get('/emails')
      .query({ to: 'françois@xn--bcher-kva.example'.normalize('NFD') });
    expect(idsOf(ascii)).toEqual([id]);
    const prefix = await agent()
      .get('/suppressions')
      .query({ q: 'zoë'.normalize('NFD') });
    expect(prefix.status).toBe(200);
  });
});

describe('long structured header fields', () => {
  const ids = (count: number) =>
    Array.from({ length: count }, (_, i) => `<CAF${'x'.repeat(50)}${i}@mail.example.com>`).join(' ');

  it.each([
    ['References', ids(90)],
    ['references', ids(45)],
    ['In-Reply-To', ids(50)],
  ])('are accepted: %s', async (name, value) => {
    expect((await accepted({ headers: { [name]: value } }))['headers']).toEqual({ [name]: value });
  });

  it('are accepted in a batch and over the Resend-compatible routes', async () => {
    const headers = { References: ids(60) };
    expect(
      summary(
        await agent()
          .post('/emails/batch')
          .send([mail({ headers })]),
      ),
    ).toMatch(/^20\d/);
    expect(summary(await agent().post('/resend/emails').send(mail({ headers })))).toBe('200');
  });
});

describe('comments in mailboxes', () => {
  const sender = () => `orders@${own.domain}`;

  it.each([
    ['with another comment inside', () => `Shop (Support (EU)) <${sender()}>`],
    ['with an escaped parenthesis', () => String.raw`Shop (24/7 \) hours) <${sender()}>`],
    ['behind the address', () => `${sender()} (Jörg Müller)`],
    ['behind a quoted name', () => `"Shop, Inc." (Tier 1) <${sender()}>`],
    ['on both sides', () => `(B2B) Shop <${sender()}> (noreply)`],
    ['with a comma', () => `Shop (Berlin, DE) <${sender()}>`],
  ])('are accepted in from: %s', async (_name, from) => {
    await accepted({ from: from() });
  });

  it('are accepted for recipients', async () => {
    const over = {
      to: ['Ada (Sales, EU) <ada@example.com>', 'bob@example.com (Bob)'],
      cc: '(copy) <carl@example.com>',
      reply_to: 'Help (24 h) <help@example.com>',
    };
    const { recipients } = (await accepted(over)) as unknown as { recipients: { address?: string; email?: string }[] };
    expect(JSON.stringify(recipients)).toMatch(/ada@example\.com.*bob@example\.com.*carl@example\.com/);
  });
});

describe('the charset of a JSON body', () => {
  it.each([
    'application/json; charset=UTF8',
    'application/json;charset="us-ascii"',
    'application/json; charset=ASCII',
    'application/json; charset=ANSI_X3.4-1968',
    'application/json; odata=verbose; charset=utf8',
    'application/json; charset=unicode-1-1-utf-8',
    'Application/JSON; Charset=US-ASCII',
    'application/json; charset=utf-8;',
  ])('may be spelled %s', async (type) => {
    const response = await agent().post('/emails').set('content-type', type).send(JSON.stringify(mail()));
    expect(summary(response)).toBe('201');
  });
});

describe('timestamps', () => {
  /** In an hour, as a clock shows it that is ahead by so many minutes. */
  const soon = (offset: number, millis = '') =>
    `${new Date(Math.floor(Date.now() / 1_000 + 3_600 + offset * 60) * 1_000).toISOString().slice(0, 19)}${millis}`;

  it.each([
    ['+0545 without a colon', () => `${soon(345)}+0545`, ''],
    ['-03', () => `${soon(-180)}-03`, ''],
    ['small letters and a fraction', () => soon(0, '.5z').toLowerCase(), '500'],
    ['nanoseconds', () => `${soon(0)}.123456789Z`, '123'],
    ['microseconds and +05:30', () => `${soon(330)}.250000+05:30`, '250'],
    ['a decimal comma', () => `${soon(0)},750Z`, '750'],
    ['an unknown offset, -00:00', () => `${soon(0)}-00:00`, ''],
  ])('may have %s', async (_name, text, millis) => {
    const at = text();
    const { scheduled_at } = await accepted({ scheduled_at: at });
    const distance = Date.parse(String(scheduled_at)) - Date.now() - 3_600_000;
    expect(Math.abs(distance)).toBeLessThan(60_000);
    if (millis !== '') expect(String(scheduled_at)).toContain(`.${millis}Z`);
  });

  it.each(['2026-01-31t09:30:00z', '2026-01-31T09:30:00-05', '2026-01-31T09:30:00+0530'])(
    'may be spelled %s in a query',
    async (created_after) => {
      expect(summary(await agent().get('/emails').query({ created_after }))).toBe('200');
      expect(summary(await agent().get('/events').query({ created_after }))).toBe('200');
    },
  );

  it('are understood wherever a time is given', async () => {
    const inAnHour = () => `${soon(-210)}-0330`;
    const { id } = await accepted({ scheduled_at: inAnHour() });
    const other = `${soon(0)}+00`;
    const changed = await agent().patch(`/emails/${id}`).send({ scheduled_at: other });
    expect(summary(changed)).toBe('200');
    const { scheduled_at } = (await agent().get(`/emails/${id}`)).body as { scheduled_at: string };
    expect(scheduled_at).toBe(`${other.slice(0, 19)}.000Z`);
    const over = mail({ scheduled_at: other });
    const batch = (await agent().post('/emails/batch').send([over])).body as { id: string }[];
    const facade = (await agent().post('/resend/emails').send(over)).body as { id: string };
    for (const made of [batch[0].id, `em_${facade.id.replaceAll('-', '')}`]) {
      const shown = (await agent().get(`/emails/${made}`)).body as { scheduled_at: string };
      expect(shown.scheduled_at).toBe(`${other.slice(0, 19)}.000Z`);
    }
  });

  it('end keys and suppressions', async () => {
    const expires_at = '2030-01-31t09:30:00,5-08';
    const key = await agent().post('/api-keys').send({ name: 'Temporary', expires_at });
    expect(key.body).toMatchObject({ expires_at: '2030-01-31T17:30:00.500Z' });
    const entry = await agent().post('/suppressions').send({ email: 'temporary@example.org', expires_at });
    expect(entry.body).toMatchObject({ expires_at: '2030-01-31T17:30:00.500Z' });
  });

  it('with a space instead of T are refused with an example', async () => {
    const scheduled_at = `${soon(0).replace('T', ' ')}+00`;
    expect(summary(await send({ scheduled_at }))).toMatch(/^400 .*"scheduled_at".*such as 2026-01-31T09:30:00Z/);
  });

  it('with a plus sign that is not encoded are refused with a hint', async () => {
    for (const path of ['/emails?created_after=2026-01-31T09:30:00+02:00', '/stats?start_date=2026-11-01T00:00:00+01'])
      expect(summary(await agent().get(path))).toMatch(/^400 .*%2B/);
  });
});

describe('CSV files of suppressions', () => {
  const upload = (file: Buffer | string) =>
    agent()
      .post('/suppressions/import')
      .set('content-type', 'text/csv')
      .send(file as string);

  it.each([
    ['semicolons, quotes and a mark', '\ufeff"email";"reason"\r\n"s1@example.org";"left; was angry"\r\n'],
    ['the separator in the first line, for Excel', 'sep=;\r\nemail;reason\r\ns2@example.org;x\r\n'],
    ['tabs in UTF-16', utf16('email\treason\r\ns3@example.org\tgrüne Wiese\r\n', 'le')],
    ['semicolons in big-endian UTF-16', utf16('email;reason\r\ns4@example.org;x\r\n', 'be')],
    ['columns of Mailchimp', 'Email Address,First Name,UNSUB_TIME\r\ns5@example.org,Ada,2026-01-01 10:00:00\r\n'],
    ['a column E-Mail', 'E-Mail;Grund\r\ns6@example.org;x\r\n'],
    ['blanks around the names', ' email ; reason\r\ns7@example.org ;x\r\n'],
    ['line ends of old', 'email\treason\rs8@example.org\tx\r'],
  ])('with %s are imported', async (_name, file) => {
    const response = await upload(file);
    expect(summary(response)).toBe('200');
    expect(response.body).toMatchObject({ created: 1 });
  });

  it('with another separator are imported or refused with its name', async () => {
    const response = await upload('email|reason\r\ns9@example.org|x\r\n');
    if (response.status !== 200) expect(summary(response)).toMatch(/^4\d\d .*(\||pipe|separat)/i);
  });
});

describe('quoted local parts in filters', () => {
  it.each([
    String.raw`"john..doe"@example.com`,
    String.raw`"jane doe+tag"@example.com`,
    String.raw`"o(brien)"@example.com`,
    String.raw`"say \"hi\""@example.com`,
    String.raw`"back\\slash"@example.com`,
    String.raw`"a,b;c:d"@example.com`,
    String.raw`".leading"@Example.COM`,
  ])('find %s', async (address) => {
    const { id } = await accepted({ to: address });
    expect(idsOf(await agent().get('/emails').query({ to: address }))).toEqual([id]);
    expect(summary(await agent().get('/captured').query({ to: address }))).toBe('200');
    expect(summary(await agent().get('/events').query({ recipient: address }))).toBe('200');
    await agent().post('/suppressions').send({ email: address }).expect(201);
    expect(summary(await agent().get(`/suppressions/${encodeURIComponent(address)}`))).toBe('200');
  });

  it('find an address whose quotes are not needed', async () => {
    const { id } = await accepted({ to: '"needless.quotes"@example.com' });
    expect(idsOf(await agent().get('/emails').query({ to: 'needless.quotes@example.com' }))).toEqual([id]);
    expect(idsOf(await agent().get('/emails').query({ to: '"needless\\.quotes"@example.com' }))).toEqual([id]);
  });
});

describe('null in optional fields', () => {
  it.each([
    { cc: null, bcc: null, reply_to: null, headers: null, tags: null, attachments: null },
    { html: null, scheduled_at: null, expires_in: null, tracking: null, sandbox: null },
    { list_unsubscribe: { url: 'https://example.com/u', one_click: null, mailto: null } },
    {
      attachments: [{ filename: 'a.txt', content: 'YQ==', path: null, content_type: null, content_id: null }],
      suppression_policy: null,
      priority: null,
    },
  ])('is absence: %j', async (over) => {
    expect(summary(await send(over))).toBe('201');
  });

  it.each(['to', 'from', 'subject'])('in %s is refused with its name', async (name) => {
    expect(summary(await send({ [name]: null }))).toMatch(new RegExp(`^4\\d\\d .*"${name}"`));
  });
});
