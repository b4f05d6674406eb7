import { createHmac } from 'node:crypto';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openInterface, type InterfaceFixture, type Json } from '../../support/rest/interface-fixture.js';
import { RATE_PER_SECOND } from '../../support/services/profiles.js';
import { until } from '../../support/timing/until.js';

/** The interface document as a table, second half: endpoints, authentication, events, errors, limits, versioning. */
let fixture: InterfaceFixture;

beforeAll(async () => {
  fixture = await openInterface();
});
afterAll(() => fixture?.stop());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const MISSING_EMAIL = `/emails/em_${'0'.repeat(32)}`;

describe('Endpoints', () => {
  it.each([
    ['POST', '/emails', () => fixture.program.mail(), 201],
    ['POST', '/emails/batch', () => [fixture.program.mail()], 201],
    ['GET', '/emails', () => undefined, 200],
    ['GET', MISSING_EMAIL, () => undefined, 404],
    ['GET', '/domains', () => undefined, 200],
    ['POST', '/domains', () => ({ name: 'mail.endpoint-example.com' }), 201],
    ['DELETE', `/domains/dom_${'0'.repeat(32)}`, () => undefined, 404],
    ['GET', '/webhooks', () => undefined, 200],
    ['DELETE', `/webhooks/wh_${'0'.repeat(32)}`, () => undefined, 404],
    ['GET', '/suppressions', () => undefined, 200],
    ['POST', '/suppressions', () => ({ email: 'endpoint@example.com' }), 201],
    ['DELETE', '/suppressions/endpoint@example.com', () => undefined, 200],
  ])('%s %s exists and answers JSON', async (method, path, body, status) => {
    const answer = await fixture.ask(method, path, body());
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/json');
  });

  it('every endpoint needs the Authorization header', async () => {
    for (const path of ['/emails', '/domains', '/webhooks', '/suppressions', MISSING_EMAIL])
      expect((await fetch(fixture.program.url + path)).status).toBe(401);
  });
});

describe('POST /emails', () => {
  it('success: status 201, body {id, object}', async () => {
    const { status, body } = await fixture.send();
    expect([status, Object.keys(body).sort()]).toEqual([201, ['id', 'object']]);
  });

  it('1. a missing required field or an invalid value gives 400, with all problems at once', async () => {
    const { status, body } = await fixture.send({ from: undefined, to: 'nobody', tags: { a: 7 } });
    const fields = (body['details'] as { field: string }[]).map((detail) => detail.field);
    expect([status, fields.sort()]).toEqual([400, ['from', 'tags.a', 'to']]);
  });

  it('2. neither html nor text is invalid', async () => {
    expect((await fixture.send({ html: undefined, text: undefined })).status).toBe(400);
  });

  it('3. a from domain that is not verified gives 422', async () => {
    expect(await fixture.send({ from: 'a@mail.endpoint-example.com' })).toMatchObject({
      status: 422,
      body: { error: 'unprocessable_entity', message: expect.stringContaining('mail.endpoint-example.com') as string },
    });
  });

  it.each(['to', 'cc', 'bcc'])('4. a suppressed address in %s gives 422', async (field) => {
    await fixture.ask('POST', '/suppressions', { email: 'listed@example.com' });
    expect(await fixture.send({ [field]: ['ok@example.com', 'Listed@Example.com'] })).toMatchObject({
      status: 422,
      body: { error: 'unprocessable_entity', details: [{ field: `${field}[1]`, code: 'suppressed' }] },
    });
  });

  it('5. a total size of more than 10 MB gives 422', async () => {
    const size = 10 * 1024 * 1024;
    const rest = 'Your order'.length;
    const fit = await fixture.send({ html: undefined, text: 'x'.repeat(size - rest) });
    expect(fit.status).toBe(201);
    expect(await fixture.send({ html: undefined, text: 'x'.repeat(size - rest + 1) })).toMatchObject({
      status: 422,
      body: { error: 'unprocessable_entity', details: [{ code: 'too_large' }] },
    });
  });

  it('6. a used-up monthly allowance gives 429', async () => {
    const other = await fixture.account('1');
    const send = () => fixture.ask('POST', '/emails', other.mail(), bearer(other.key));
    expect((await send()).status).toBe(201);
    expect(await send()).toMatchObject({ status: 429, body: { error: 'monthly_quota_exceeded' } });
  });
});

describe('The other endpoints', () => {
  it('POST /emails/batch answers an array of {id, object} in submission order', async () => {
    const { status, body } = await fixture.ask<{ id: string }[]>('POST', '/emails/batch', [
      fixture.program.mail({ subject: 'first' }),
      fixture.program.mail({ subject: 'second' }),
    ]);
    expect([status, body]).toMatchObject([201, [{ object: 'email' }, { object: 'email' }]]);
    const subjects = await Promise.all(
      body.map(async ({ id }) => (await fixture.ask('GET', `/emails/${id}`)).body['subject']),
    );
    expect(subjects).toEqual(['first', 'second']);
  });

  it('GET /emails lists sent emails, newest first', async () => {
    const { body: sent } = await fixture.send();
    const { body } = await fixture.ask<{ object: string; data: Json[] }>('GET', '/emails?limit=1');
    expect(body).toMatchObject({ object: 'list', has_more: true, data: [{ id: sent.id }] });
  });

  it('GET /emails/:id answers the email', async () => {
    const { body: sent } = await fixture.send();
    expect((await fixture.ask('GET', `/emails/${sent.id}`)).body).toMatchObject({ id: sent.id, object: 'email' });
  });

  it('GET /domains answers an array of id, name, status, records', async () => {
    const { body } = await fixture.ask<Json[]>('GET', '/domains');
    expect(Array.isArray(body)).toBe(true);
    for (const domain of body) expect(domain).toMatchObject({ id: expect.stringMatching(/^dom_/) as string });
    expect(Object.keys(body[0])).toEqual(expect.arrayContaining(['id', 'name', 'status', 'records']));
  });

  it('POST /domains answers the records, DELETE /domains/:id removes it', async () => {
    const { body } = await fixture.ask('POST', '/domains', { name: 'mail.removed-example.com' });
    const id = String(body['id']);
    expect(await fixture.ask('DELETE', `/domains/${id}`)).toMatchObject({
      status: 200,
      body: { object: 'domain', id, deleted: true },
    });
    expect((await fixture.ask('DELETE', `/domains/${id}`)).status).toBe(404);
  });

  it('POST, GET and DELETE /webhooks', async () => {
    const url = fixture.receiver.url('/listed');
    const { body } = await fixture.ask('POST', '/webhooks', { url, events: ['email.bounced'] });
    const { body: list } = await fixture.ask<Json[]>('GET', '/webhooks');
    expect(list.some((webhook) => webhook['id'] === body['id'] && webhook['url'] === url)).toBe(true);
    expect(await fixture.ask('DELETE', `/webhooks/${String(body['id'])}`)).toMatchObject({
      status: 200,
      body: { object: 'webhook', deleted: true },
    });
    expect((await fixture.ask<Json[]>('GET', '/webhooks')).body.some((webhook) => webhook['id'] === body['id'])).toBe(
      false,
    );
  });

  it('POST, GET and DELETE /suppressions', async () => {
    await fixture.ask('POST', '/suppressions', { email: 'cycle@example.com' });
    expect((await fixture.send({ to: 'cycle@example.com' })).status).toBe(422);
    const { body } = await fixture.ask<{ data: Json[] }>('GET', '/suppressions?q=cycle@');
    expect(body.data).toMatchObject([{ email: 'cycle@example.com', origin: 'manual' }]);
    expect((await fixture.ask('DELETE', '/suppressions/cycle@example.com')).status).toBe(200);
    expect((await fixture.send({ to: 'cycle@example.com' })).status).toBe(201);
  });
});

describe('SMTP relay', () => {
  const relay = (secure: boolean, pass: string) =>
    createTransport({
      host: '127.0.0.1',
      port: secure ? fixture.program.ports.smtps : fixture.program.ports.smtp,
      secure,
      requireTLS: !secure,
      tls: { rejectUnauthorized: false },
      auth: { user: fixture.program.from, pass },
    });
  const letter = () => ({ from: fixture.program.from, to: 'smtp@example.com', subject: 'SMTP', text: 'text' });

  it.each([
    ['587 with STARTTLS', false],
    ['465 with SSL/TLS', true],
  ])('port %s: username is a verified sender address, password an API key', async (_port, secure) => {
    const { response } = await relay(secure, fixture.program.key).sendMail(letter());
    expect(response).toMatch(/^250 2\.0\.0 queued as em_/);
    await expect(relay(secure, 'pl_live_wrong').sendMail(letter())).rejects.toThrow(/535/);
  });
});

describe('Authentication', () => {
  it('1. every endpoint requires Authorization: Bearer <API_KEY>', async () => {
    const wrong: Record<string, string>[] = [
      {},
      { authorization: 'Basic cGw6cGw=' },
      { authorization: fixture.program.key },
    ];
    for (const headers of wrong) expect((await fetch(`${fixture.program.url}/emails`, { headers })).status).toBe(401);
  });

  it('3. a missing, invalid or revoked key gives 401', async () => {
    const { body } = await fixture.ask('POST', '/api-keys', { name: 'Short-lived' });
    const { id, token } = body as { id: string; token: string };
    expect((await fixture.ask('GET', '/emails', undefined, bearer(token))).status).toBe(200);
    await fixture.ask('DELETE', `/api-keys/${id}`);
    await until(async () => (await fixture.ask('GET', '/emails', undefined, bearer(token))).status === 401, {
      what: 'the key to be refused',
    });
    expect(await fixture.ask('GET', '/emails', undefined, bearer('pl_live_no'))).toMatchObject({
      status: 401,
      body: { error: 'unauthorized', name: 'invalid_api_key' },
    });
  });

  it.each([
    ['overdue payment', 'overdue', 'settled'],
    ['a blocked account', 'block', 'unblock'],
  ])('4. %s gives 403', async (_what, command, undo) => {
    const other = await fixture.account('free');
    const { id } = other;
    const statuses = async () => [
      (await other.call('POST', '/emails', other.mail())).status,
      (await other.call('GET', '/domains')).status,
    ];
    await fixture.cli('accounts', command, id);
    await until(async () => (await statuses()).join() === '403,403', { what: `the effect of ${command}` });
    await fixture.cli('accounts', undo, id);
    await until(async () => (await statuses()).join() === '201,200', { what: `the effect of ${undo}` });
  });
});

describe('Events', () => {
  const eventOf = (path: string, type: string, id: string) =>
    until(
      async () =>
        fixture.receiver.callsTo(path).find((call) => call.body.includes(`"${type}"`) && call.body.includes(id)),
      { what: `${type} of ${id}` },
    );

  it.each([
    ['email.delivered', 'delivered', ['id', 'from', 'to', 'subject']],
    ['email.bounced', 'bounced', ['id', 'to', 'bounce_type', 'bounce_message']],
    ['email.opened', 'opened', ['id', 'opened_at']],
    ['email.clicked', 'clicked', ['id', 'click_url']],
    ['email.failed', 'deferred', ['id', 'failure_type', 'reason']],
  ])('%s is sent with its fields, its envelope, and a signature', async (type, outcome, fields) => {
    const path = `/${type}`;
    const { body: webhook } = await fixture.ask('POST', '/webhooks', {
      url: fixture.receiver.url(path),
      events: [type],
    });
    const { body: sent } = await fixture.send({
      to: `${outcome}@sim.postloft.test`,
      html: '<a href="https://a.example/">a</a>',
    });
    const call = await eventOf(path, type, sent.id);
    const event = JSON.parse(call.body) as { type: string; created_at: string; data: Json };
    expect(Object.keys(event).sort()).toEqual(['created_at', 'data', 'type']);
    expect(event.type).toBe(type);
    expect(new Date(event.created_at).toISOString()).toBe(event.created_at);
    expect(Object.keys(event.data)).toEqual(expect.arrayContaining(fields));
    const [, at, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(call.headers['x-service-signature'])) ?? [];
    const expected = createHmac('sha256', String(webhook['secret'])).update(`${at}.${call.body}`).digest('hex');
    expect(signature).toBe(expected);
    expect(fixture.receiver.callsTo(path).every((one) => one.body.includes(`"${type}"`))).toBe(true);
    await fixture.ask('DELETE', `/webhooks/${String(webhook['id'])}`);
  });

  it('bounce_type is hard for a permanent rejection, bounce_message the words of the server', async () => {
    const { body: webhook } = await fixture.ask('POST', '/webhooks', {
      url: fixture.receiver.url('/hard'),
      events: ['email.bounced'],
    });
    const { body: sent } = await fixture.send({ to: 'bounced@sim.postloft.test' });
    const { data } = JSON.parse((await eventOf('/hard', 'email.bounced', sent.id)).body) as { data: Json };
    expect(data).toMatchObject({
      bounce_type: 'hard',
      bounce_message: expect.stringContaining('no such user') as string,
      smtp_code: 550,
      enhanced_code: '5.1.1',
    });
    await fixture.ask('DELETE', `/webhooks/${String(webhook['id'])}`);
  });
});

describe('Errors', () => {
  it.each([
    ['400', () => fixture.send({ to: 'nobody' }), 'bad_request'],
    ['401', () => fixture.ask('GET', '/emails', undefined, bearer('no-such-key')), 'unauthorized'],
    ['422', () => fixture.send({ from: 'a@unverified.example.com' }), 'unprocessable_entity'],
    ['404', () => fixture.ask('GET', '/nowhere'), 'not_found'],
    ['405', () => fixture.ask('PUT', '/emails'), 'method_not_allowed'],
  ])('%s has a string field error and a message', async (status, act, error) => {
    const answer = (await act()) as { status: number; body: Json };
    expect([answer.status, answer.body]).toMatchObject([
      Number(status),
      { error, message: expect.any(String) as string, request_id: expect.stringMatching(/^req_/) as string },
    ]);
  });
});

describe('Limits', () => {
  const file = (filename: string, text = 'a,b\n1,2\n') => ({ filename, content: Buffer.from(text).toString('base64') });

  it('at most 10 attachments per email', async () => {
    const files = (count: number) => Array.from({ length: count }, (_, i) => file(`f${i}.csv`));
    expect((await fixture.send({ attachments: files(10) })).status).toBe(201);
    expect(await fixture.send({ attachments: files(11) })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'attachments' }] },
    });
  });

  it.each(['run.exe', 'run.sh', 'run.bat'])('%s is rejected', async (filename) => {
    expect(await fixture.send({ attachments: [file(filename)] })).toMatchObject({
      status: 422,
      body: { error: 'unprocessable_entity', name: 'invalid_attachment' },
    });
  });

  /** With the limit of another service; the default of 100 is asserted by lifecycle/first-start. */
  it('at most so many requests per second', async () => {
    const limited = await openInterface('webhooks');
    const answers = await Promise.all(
      Array.from({ length: 10 * RATE_PER_SECOND }, () => limited.ask('GET', '/domains')),
    );
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter((answer) => answer.status === 200).length).toBeGreaterThanOrEqual(RATE_PER_SECOND);
    expect(refused[0]).toMatchObject({ body: { error: 'rate_limit_exceeded' } });
    expect(refused[0].headers.get('retry-after')).toBe('1');
    expect(answers[0].headers.get('ratelimit-limit')).toBe(String(RATE_PER_SECOND));
    await limited.stop();
  });
});

describe('Versioning', () => {
  it('/v1 is the same as the bare path', async () => {
    const { status, body } = await fixture.ask<{ id: string }>('POST', '/v1/emails', fixture.program.mail());
    expect(status).toBe(201);
    expect((await fixture.ask('GET', `/v1/emails/${body.id}`)).body).toMatchObject({ id: body.id });
    expect((await fixture.ask('GET', `/emails/${body.id}`)).status).toBe(200);
  });
});
