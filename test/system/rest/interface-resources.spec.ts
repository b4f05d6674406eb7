import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openInterface, type InterfaceFixture, type Json } from '../../support/rest/interface-fixture.js';
import { until } from '../../support/timing/until.js';

/**
 * The interface document as a table, first half: what the service does, its resources and their fields, and their
 * states. One case per rule, in the order of the document. The second half is `interface-endpoints`.
 */
let fixture: InterfaceFixture;

beforeAll(async () => {
  fixture = await openInterface();
});
afterAll(() => fixture?.stop());

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const unfolded = (message: string) => message.replaceAll(/\r\n[ \t]+/g, ' ');
const headerOf = (message: string, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded(message).split('\r\n\r\n', 1)[0])?.[1];

describe('What the service does', () => {
  it('sends mail through the REST API with JSON requests and JSON responses', async () => {
    const { status, headers, body } = await fixture.send();
    expect([status, body.object]).toEqual([201, 'email']);
    expect(headers.get('content-type')).toContain('application/json');
  });

  it('gives a free account 3,000 emails per month', async () => {
    const free = await fixture.account('free');
    const { body } = await fixture.ask('GET', '/usage', undefined, { authorization: `Bearer ${free.key}` });
    expect(body).toMatchObject({ limit: 3000, used: 0 });
  });
});

describe('Resources and their fields: Email', () => {
  it('id has the format em_<id>, object is the constant email', async () => {
    const { body } = await fixture.send();
    expect(body).toEqual({ id: expect.stringMatching(/^em_[0-9a-f]{32}$/) as string, object: 'email' });
  });

  it.each(['from', 'to', 'subject'])('%s is required', async (field) => {
    const { status, body } = await fixture.send({ [field]: undefined });
    expect([status, body]).toMatchObject([
      400,
      { error: 'bad_request', name: 'missing_required_field', details: [{ field, code: 'required' }] },
    ]);
  });

  it.each([['%'], ['Shop <%>']])('from has the format address or Name <address>: %s', async (form) => {
    const from = form.replace('%', fixture.program.from);
    const shown = await fixture.sent({ from });
    expect(shown['from']).toBe(from);
    expect(headerOf(await fixture.raw(shown.id), 'From')).toBe(from);
  });

  it.each([['no address'], ['a@%, b@%'], [''], [['a@%']]])(
    'from is one mailbox and nothing else: %j is refused',
    async (form) => {
      const from = JSON.parse(JSON.stringify(form).replaceAll('%', fixture.program.domain)) as unknown;
      expect(await fixture.send({ from })).toMatchObject({ status: 400, body: { details: [{ field: 'from' }] } });
    },
  );

  it("from's domain must be verified", async () => {
    expect(await fixture.send({ from: 'a@unverified.example.com' })).toMatchObject({
      status: 422,
      body: { error: 'unprocessable_entity', name: 'invalid_from_address' },
    });
  });

  it.each(['to', 'cc', 'bcc', 'reply_to'])('%s is a string or an array of strings', async (field) => {
    expect(await fixture.send({ [field]: 'one@example.com' })).toMatchObject({ status: 201 });
    expect(await fixture.send({ [field]: ['one@example.com', 'Two <two@example.com>'] })).toMatchObject({
      status: 201,
    });
    expect(await fixture.send({ [field]: { address: 'one@example.com' } })).toMatchObject({
      status: 400,
      body: { details: [{ field }] },
    });
  });

  it('to has at most 50 addresses', async () => {
    const addresses = (count: number) => Array.from({ length: count }, (_, i) => `user${i}@example.com`);
    expect(await fixture.send({ to: addresses(50) })).toMatchObject({ status: 201 });
    expect(await fixture.send({ to: addresses(51) })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'to' }] },
    });
  });

  it('subject is the subject line', async () => {
    const { id } = await fixture.sent({ subject: 'Your order 4711' });
    expect(headerOf(await fixture.raw(id), 'Subject')).toBe('Your order 4711');
  });

  it('html and text are both sent, text as the fallback', async () => {
    const { id } = await fixture.sent({ html: '<p>Rich</p>', text: 'Plain' });
    const message = await fixture.raw(id);
    expect(message).toContain('multipart/alternative');
    expect(message.indexOf('Plain')).toBeLessThan(message.indexOf('Rich'));
  });

  it.each([[{ html: undefined }], [{ text: undefined }]])('one of html and text is enough: %j', async (over) => {
    expect(await fixture.send(over)).toMatchObject({ status: 201 });
  });

  it('at least one of html and text must be present', async () => {
    expect(await fixture.send({ html: undefined, text: undefined })).toMatchObject({
      status: 400,
      body: { name: 'missing_required_field', details: [{ field: 'html', code: 'required' }] },
    });
  });

  it('cc recipients get the mail and are shown', async () => {
    const shown = await fixture.sent({ cc: ['copy@example.com'] });
    expect(headerOf(await fixture.raw(shown.id), 'Cc')).toBe('copy@example.com');
    expect(shown['recipients']).toMatchObject([{ type: 'to' }, { type: 'cc', address: 'copy@example.com' }]);
  });

  it('bcc recipients get the mail and are invisible to others', async () => {
    const shown = await fixture.sent({ bcc: 'hidden@example.org' });
    expect(shown['recipients']).toMatchObject([
      { status: 'delivered' },
      { type: 'bcc', address: 'hidden@example.org', status: 'delivered' },
    ]);
    expect(await fixture.raw(shown.id)).not.toContain('hidden@example.org');
  });

  it('reply_to becomes Reply-To', async () => {
    const { id } = await fixture.sent({ reply_to: 'Help <help@example.com>' });
    expect(headerOf(await fixture.raw(id), 'Reply-To')).toBe('Help <help@example.com>');
  });

  it('headers are extra header fields', async () => {
    const { id } = await fixture.sent({ headers: { 'X-Order': '4711' } });
    expect(headerOf(await fixture.raw(id), 'X-Order')).toBe('4711');
  });

  it('tags are kept, and filter the list', async () => {
    const { id } = await fixture.sent({ tags: { campaign: 'spring-4711' } });
    expect((await fixture.ask('GET', `/emails/${id}`)).body).toMatchObject({ tags: { campaign: 'spring-4711' } });
    const { body } = await fixture.ask<{ data: { id: string }[] }>('GET', '/emails?tags[campaign]=spring-4711');
    expect(body.data.map((email) => email.id)).toEqual([id]);
  });

  it("a tag's value has at most 50 characters", async () => {
    expect(await fixture.send({ tags: { key: 'x'.repeat(50) } })).toMatchObject({ status: 201 });
    expect(await fixture.send({ tags: { key: 'x'.repeat(51) } })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'tags.key' }] },
    });
  });

  it('scheduled_at is the time to send, ISO 8601', async () => {
    const at = new Date(Date.now() + 2_000).toISOString();
    const { body } = await fixture.send({ scheduled_at: at });
    expect((await fixture.ask('GET', `/emails/${body.id}`)).body).toMatchObject({
      status: 'scheduled',
      scheduled_at: at,
    });
    const shown = await until(async () => {
      const email = (await fixture.ask('GET', `/emails/${body.id}`)).body;
      return email['status'] === 'delivered' ? email : null;
    });
    expect(Date.parse(shown['delivered_at'] as string)).toBeGreaterThanOrEqual(Date.parse(at));
  });

  it('scheduled_at is at most 72 hours in the future', async () => {
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
    expect(await fixture.send({ scheduled_at: hours(71.9) })).toMatchObject({ status: 201 });
    expect(await fixture.send({ scheduled_at: hours(72.1) })).toMatchObject({
      status: 400,
      body: { name: 'validation_error', details: [{ field: 'scheduled_at' }] },
    });
  });

  it.each([['tomorrow'], ['2026-01-31T09:30:00'], [1_790_000_000]])(
    'scheduled_at is no other text or number: %j',
    async (scheduled_at) => {
      expect(await fixture.send({ scheduled_at })).toMatchObject({
        status: 400,
        body: { details: [{ field: 'scheduled_at' }] },
      });
    },
  );
});

describe('Resources and their fields: Attachment', () => {
  const file = { filename: 'note.txt', content: base64('Hello'), content_type: 'text/plain' };
  const attach = (...attachments: Json[]) => fixture.send({ attachments });

  it.each(['filename', 'content'])('%s is required', async (field) => {
    expect(await attach({ ...file, [field]: undefined })).toMatchObject({
      status: 400,
      body: { details: [{ field: `attachments[0].${field}` }] },
    });
  });

  it('content is base64', async () => {
    for (const content of ['*', 'SGVsbG8', 'SGVs.bG8=', 'SGVsbG8=='])
      expect(await attach({ ...file, content })).toMatchObject({
        status: 400,
        body: { name: 'invalid_attachment', details: [{ field: 'attachments[0].content' }] },
      });
  });

  it('content_type may be left out, and follows from the file name', async () => {
    const { id } = await fixture.sent({ attachments: [{ filename: 'note.txt', content: file.content }] });
    expect((await fixture.ask('GET', `/emails/${id}`)).body).toMatchObject({
      attachments: [{ filename: 'note.txt', content_type: 'text/plain', size: 5 }],
    });
  });

  it('an attachment without content_id appears as a downloadable file', async () => {
    const { id } = await fixture.sent({ attachments: [file] });
    expect(unfolded(await fixture.raw(id))).toMatch(/Content-Disposition: attachment; filename="?note\.txt/i);
  });

  it('an attachment with content_id can be displayed inline through a cid: reference', async () => {
    const logo = { filename: 'logo.png', content: base64(PNG), content_type: 'image/png', content_id: 'logo' };
    const { id } = await fixture.sent({ html: '<img src="cid:logo">', attachments: [logo] });
    const message = unfolded(await fixture.raw(id));
    expect(message).toMatch(/Content-ID: <logo>/i);
    expect(message).toMatch(/Content-Disposition: inline/i);
    expect(message).toContain('multipart/related');
  });
});

describe('Resources and their fields: Domain', () => {
  it('has id, name, status and records', async () => {
    const { status, body } = await fixture.ask('POST', '/domains', { name: 'mail.interface-example.com' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'mail.interface-example.com', status: 'pending' });
    expect(body['id']).toMatch(/^dom_[0-9a-f]{32}$/);
    expect(Array.isArray(body['records'])).toBe(true);
  });

  it('names the SPF, DKIM and DMARC records to set', async () => {
    const { body } = await fixture.ask<{ records: { record: string; type: string; name: string; value: string }[] }>(
      'POST',
      '/domains',
      { name: 'mail.records-example.com' },
    );
    const of = (kind: string) => body.records.filter((record) => record.record === kind);
    expect(of('SPF')[0]).toMatchObject({
      type: 'TXT',
      name: 'mail.records-example.com',
      value: 'v=spf1 include:spf.postloft.test ~all',
    });
    expect(of('DKIM')[0]).toMatchObject({
      type: 'TXT',
      name: expect.stringMatching(/^[a-z0-9]+\._domainkey\.mail\.records-example\.com$/) as string,
      value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]+=*$/) as string,
    });
    expect(of('DMARC')[0]).toMatchObject({ type: 'TXT', name: '_dmarc.mail.records-example.com' });
  });
});

describe('Resources and their fields: Webhook and Suppression', () => {
  it('a webhook is created with url and events, and identified by id', async () => {
    const url = fixture.receiver.url('/fields');
    const { status, body } = await fixture.ask('POST', '/webhooks', { url, events: ['email.delivered'] });
    expect([status, body]).toMatchObject([201, { url, events: ['email.delivered'] }]);
    expect((await fixture.ask('DELETE', `/webhooks/${String(body['id'])}`)).status).toBe(200);
  });

  it('a suppression is an address, identified by the address in the path', async () => {
    expect(await fixture.ask('POST', '/suppressions', { email: 'Field@Example.com' })).toMatchObject({
      status: 201,
      body: { email: 'field@example.com' },
    });
    expect((await fixture.ask('DELETE', '/suppressions/field%40example.com')).status).toBe(200);
  });
});

describe('States and transitions', () => {
  it('a new domain is pending; one whose records are verified is active', async () => {
    const { body } = await fixture.ask<{ name: string; status: string }[]>('GET', '/domains');
    const statusOf = (name: string) => body.find((domain) => domain.name === name)?.status;
    expect(statusOf('mail.interface-example.com')).toBe('pending');
    expect(statusOf(fixture.program.domain)).toBe('active');
  });

  it('queued is the status of a freshly sent message', async () => {
    const { body } = await fixture.send({ to: 'slow+20@sim.postloft.test' });
    const { body: shown } = await fixture.ask('GET', `/emails/${body.id}`);
    expect(['queued', 'sending']).toContain(shown['status']);
  });

  it('bounced is a filter of the list', async () => {
    const { id } = await fixture.sent({ to: 'bounced@sim.postloft.test' }, 'bounced');
    const { body } = await fixture.ask<{ data: { id: string; status: string }[] }>('GET', '/emails?status=bounced');
    expect(body.data).toMatchObject([{ id, status: 'bounced' }]);
  });
});
