import { beforeAll, describe, expect, it } from 'vitest';
import type { Response } from 'supertest';
import { type GatewayApp, sharedGateway } from '../../support/fixtures/gateway-app.js';
import { CSV, PDF, utf16 } from '../../support/samples/small-files.js';

/** The same spellings over GraphQL, the Resend-compatible routes and further operations. */
let gateway: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;

beforeAll(async () => {
  gateway = await sharedGateway();
  own = await gateway.account();
});

const agent = () => gateway.agent(own.key);
const summary = ({ status, body }: Response) => (status < 300 ? String(status) : `${status} ${JSON.stringify(body)}`);
const mail = (over: object = {}) => ({
  from: `Shop <orders@${own.domain}>`,
  to: ['ada@example.com'],
  subject: 'Your order',
  text: 'Thank you.',
  ...over,
});
const SEND = 'mutation Send($input: SendEmailInput!) { sendEmail(input: $input) { id } }';
const graphql = (query: string, variables: object = {}) => agent().post('/graphql').send({ query, variables });

/** The email by the native API. */
async function byGraphql(over: object): Promise<Record<string, unknown>> {
  const { body } = await graphql(SEND, { input: mail(over) });
  const { data } = body as { data: { sendEmail: { id: string } } | null };
  expect(data?.sendEmail.id, JSON.stringify(body)).toMatch(/^em_/);
  return (await agent().get(`/emails/${data?.sendEmail.id}`)).body as Record<string, unknown>;
}

async function byFacade(over: object): Promise<Record<string, unknown>> {
  const created = await agent().post('/resend/emails').send(mail(over));
  expect(summary(created)).toBe('200');
  const id = `em_${(created.body as { id: string }).id.replaceAll('-', '')}`;
  return (await agent().get(`/emails/${id}`)).body as Record<string, unknown>;
}

const inAnHour = () => new Date(Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000);
const ids = (count: number) => Array.from({ length: count }, (_, i) => `<${'r'.repeat(60)}${i}@example.com>`).join(' ');
const base64 = (content: Buffer) => content.toString('base64');

describe('GraphQL', () => {
  it('accepts comments, long References, other names of types and offsets of hours', async () => {
    const at = inAnHour();
    const shown = await byGraphql({
      from: `Shop (Köln) <orders@${own.domain}>`,
      replyTo: ['help@example.com (Help (24 h))'],
      headers: [{ name: 'References', value: ids(70) }],
      attachments: [
        {
          filename: 'orders.csv',
          content: base64(CSV),
          contentType: "application/vnd.msexcel; name*=utf-8''%C3%BC.csv",
          contentId: 'ii_x+$1',
        },
      ],
      scheduledAt: `${at.toISOString().slice(0, 19)}+00`,
      cc: null,
      tags: null,
      expiresIn: null,
    });
    expect(shown).toMatchObject({ scheduled_at: at.toISOString(), attachments: [{ content_type: 'text/csv' }] });
  });

  it('knows an address in two Unicode forms and with quotes', async () => {
    const address = '"zoë b"@example.com';
    const shown = await byGraphql({ to: [address.normalize('NFD'), address.normalize('NFC')] });
    expect(shown['recipients']).toHaveLength(1);
    const found = await agent()
      .get('/emails')
      .query({ to: address.normalize('NFD') });
    expect((found.body as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([shown['id']]);
  });

  it.each(['application/json; charset=US-ASCII', 'application/json; charset=utf8'])('reads %s', async (type) => {
    const body = JSON.stringify({ query: '{ __typename }' });
    expect(summary(await agent().post('/graphql').set('content-type', type).send(body))).toBe('200');
  });
});

describe('the Resend-compatible routes', () => {
  it('accept comments, long References, other names of types and offsets of hours', async () => {
    const at = inAnHour();
    const shown = await byFacade({
      from: `(B2B) Shop <orders@${own.domain}>`,
      headers: { 'In-Reply-To': ids(70) },
      attachments: [
        { filename: 'scan.pdf', content: base64(PDF), content_type: 'application/x-pdf;', content_id: "a'b{c}" },
      ],
      scheduled_at: `${at.toISOString().slice(0, 19).toLowerCase()}-00`,
      cc: null,
      reply_to: null,
      tags: null,
    });
    expect(shown).toMatchObject({ scheduled_at: at.toISOString(), attachments: [{ content_type: 'application/pdf' }] });
  });

  it('know an address in two Unicode forms', async () => {
    const address = '이준@example.com';
    expect(
      summary(
        await agent()
          .post('/resend/suppressions')
          .send({ email: address.normalize('NFD') }),
      ),
    ).toMatch(/^20/);
    const refused = await agent()
      .post('/resend/emails')
      .send(mail({ to: address.normalize('NFC') }));
    const { id } = refused.body as { id: string };
    const shown = (await agent().get(`/emails/em_${id.replaceAll('-', '')}`)).body as object;
    expect(shown).toMatchObject({ recipients: [{ status: 'suppressed' }] });
    const path = `/resend/suppressions/${encodeURIComponent(address.normalize('NFC'))}`;
    expect(summary(await agent().get(path))).toBe('200');
  });

  it('read a JSON body in us-ascii', async () => {
    const type = 'application/json; charset="us-ascii"';
    const response = await agent().post('/resend/emails').set('content-type', type).send(JSON.stringify(mail()));
    expect(summary(response)).toBe('200');
  });
});

describe('further operations', () => {
  it('know a domain in two Unicode forms', async () => {
    const name = `grüße-${Date.now()}.example`;
    const created = await agent()
      .post('/domains')
      .send({ name: name.normalize('NFD') });
    expect(summary(created)).toBe('201');
    expect(
      summary(
        await agent()
          .post('/domains')
          .send({ name: name.normalize('NFC') }),
      ),
    ).toMatch(/^409 /);
  });

  it('find recipients by a domain in another form, and senders', async () => {
    const { body } = await agent()
      .post('/emails')
      .send(mail({ to: 'x@köln.example'.normalize('NFD') }));
    const { id } = body as { id: string };
    const idsOf = (response: Response) => (response.body as { data?: { id: string }[] }).data?.map((one) => one.id);
    expect(
      idsOf(
        await agent()
          .get('/emails')
          .query({ recipient_domain: 'köln.example'.normalize('NFC') }),
      ),
    ).toEqual([id]);
    expect(
      idsOf(
        await agent()
          .get('/emails')
          .query({ recipient_domain: 'köln.example'.normalize('NFD') }),
      ),
    ).toEqual([id]);
    expect(
      summary(
        await agent()
          .get('/events')
          .query({ recipient: 'x@köln.example'.normalize('NFD') }),
      ),
    ).toBe('200');
  });

  it('take an address with quotes in paths', async () => {
    const email = '"jo ann"@example.com';
    expect(summary(await agent().post('/suppressions').send({ email }))).toBe('201');
    expect(summary(await agent().delete(`/suppressions/${encodeURIComponent('"jo\\ ann"@EXAMPLE.com')}`))).toBe('200');
  });

  it.each(['/logs', '/audit-log', '/events'])('%s takes times with small letters and short offsets', async (path) => {
    const query = { created_after: '2026-01-31t09:30:00z', created_before: '2027-01-31T09:30:00-0330' };
    expect(summary(await agent().get(path).query(query))).toBe('200');
  });

  it('replay events of a range with short offsets', async () => {
    const hook = await agent()
      .post('/webhooks')
      .send({ url: 'https://hooks.example.com/x', events: ['*'] });
    const { id } = hook.body as { id: string };
    const from = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 19)}+00`;
    const started = await agent().post(`/webhooks/${id}/replay`).send({ from, types: null, status: null, to: null });
    expect(summary(started)).toMatch(/^20/);
    expect(started.body).toMatchObject({ filter: { from: `${from.slice(0, 19)}.000Z` } });
  });

  it.each([
    ['cells that end in a separator', 'email;reason;\r\nt1@example.org;x;\r\n'],
    ['a tab in quotes of another separator', 'email;reason;note\r\nt2@example.org;"one; line";"two\r\nlines"\r\n'],
    ['one column and empty lines', '\ufeffemail\n\n"t3@example.org"\n\n'],
    ['a semicolon and commas in a cell', 'Email;Reason\nt4@example.org;a, b, c\n'],
    [
      'a time without minutes of the offset',
      'email,expires_at\nt5@example.org,2030-01-31 09:30:00+00\nt6@example.org,2030-01-31T09:30:00+00\n',
    ],
  ])('import a CSV file with %s', async (_name, file) => {
    const imported = await agent().post('/suppressions/import').set('content-type', 'text/csv').send(file);
    expect(summary(imported)).toBe('200');
    expect(imported.body).toMatchObject({ created: 1 });
  });

  it('accept a log of PowerShell and a CSV file under octet-stream', async () => {
    const attachments = [
      { filename: 'install.log', content: base64(utf16('Fertig: 100 %\r\n', 'le')) },
      { filename: 'orders.csv', content: base64(CSV), content_type: 'Application/Octet-Stream; name=orders' },
      { filename: 'setup.exe.pdf', content: base64(PDF), content_type: 'APPLICATION/X-PDF' },
    ];
    expect(summary(await agent().post('/emails').send(mail({ attachments })))).toBe('201');
  });

  it('take null in further bodies as absent', async () => {
    expect(summary(await agent().patch(`/domains/${own.domainId}`).send({ open_tracking: null }))).toBe('200');
    expect(summary(await agent().post('/api-keys').send({ name: 'x', mode: null, permission: null }))).toBe('201');
    expect(
      summary(await agent().post('/suppressions').send({ email: 'n@example.org', reason: null, domain_id: null })),
    ).toBe('201');
  });
});
