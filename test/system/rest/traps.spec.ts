import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { accountOn, openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { capturedEntries, capturedMessage } from '../../support/services/captured.js';

interface Problem {
  statusCode: number;
  error: string;
  name: string;
  message: string;
  details: { field: string; code: string; message: string }[];
  request_id: string;
}

/** Inputs that are known to break services like this one. */
describe('known pitfalls', () => {
  let program: ServiceAccount;
  beforeAll(async () => {
    program = await openAccount('rest');
  });

  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await program.call('POST', '/emails', body, headers);
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Problem & { id: string },
    };
  };
  const messageOf = async (id: string) => (await capturedMessage(program, id)).toString();

  it('lists every problem of a body at once, each with its field and what is allowed', async () => {
    const { status, body } = await post({
      from: 'nobody',
      to: ['ok@example.com', 'a@b@c'],
      subject: 'x\r\nBcc: e@example.com',
      tags: { 'bad key': 'x', ok: 'y'.repeat(51) },
      headers: { From: 'x@y.z' },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: 'bad_request',
      message: expect.any(String),
      request_id: expect.stringMatching(/./),
    });
    const fields = body.details.map((detail) => detail.field);
    for (const field of ['from', 'to[1]', 'subject', 'tags.bad key', 'tags.ok', 'headers.From'])
      expect(fields).toContain(field);
    expect(fields.some((field) => field === 'html' || field === 'text')).toBe(true);
  });

  it('answers 401, 403 and 422 in the shape of the interface', async () => {
    const without = await fetch(`${program.url}/emails`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(without.status).toBe(401);
    expect(await without.json()).toMatchObject({ error: 'unauthorized', name: 'missing_api_key' });
    const wrong = await program.call('GET', '/domains', undefined, { authorization: 'Bearer pl_live_0000' });
    expect(wrong.status).toBe(401);
    const foreign = await post(program.mail({ from: 'a@unknown.example' }));
    expect(foreign.status).toBe(422);
    expect(foreign.body).toMatchObject({
      error: 'unprocessable_entity',
      name: 'invalid_from_address',
      details: [{ field: 'from' }],
    });
  });

  it('treats /v1 and the bare path alike, and lists ignored fields', async () => {
    const response = await program.call('POST', '/v1/emails', program.mail({ topic_id: 'x', surprise: 1 }));
    expect(response.status).toBe(201);
    expect(response.headers.get('x-ignored-fields')?.split(/, ?/).sort()).toEqual(['surprise', 'topic_id']);
    expect(response.headers.get('x-api-version')).toBe('1');
  });

  it('makes one mail per idempotency key, also of concurrent requests, and rejects another body', async () => {
    const headers = { 'idempotency-key': 'order-42' };
    const twins = await Promise.all(Array.from({ length: 8 }, () => post(program.mail(), headers)));
    const ids = new Set(twins.filter((answer) => answer.status === 201).map((answer) => answer.body.id));
    expect(ids.size).toBe(1);
    expect(twins.every((answer) => answer.status === 201 || answer.status === 409)).toBe(true);
    const again = await post(program.mail(), headers);
    expect(again).toMatchObject({ status: 201, body: { id: [...ids][0] } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await post(program.mail({ subject: 'other' }), headers)).toMatchObject({
      status: 409,
      body: { name: 'invalid_idempotent_request' },
    });
  });

  it('never lets a field become a header, or one string two recipients', async () => {
    const payloads = [
      '\r\nBcc: evil@example.com',
      '\nX-Injected: 1',
      '\rX-Injected: 1',
      '\u2028X-Injected: 1',
      '\u0085X-Injected: 1',
      '\0',
      '%0d%0aX-Injected: 1',
      '=?utf-8?q?=0d=0aX-Injected:_1?=',
    ];
    const fields: ((payload: string) => Record<string, unknown>)[] = [
      (p) => ({ subject: `s${p}` }),
      (p) => ({ from: `Shop${p} <${program.from}>` }),
      (p) => ({ to: `Ada${p} <ada@example.com>` }),
      (p) => ({ reply_to: `R${p} <r@example.com>` }),
      (p) => ({ headers: { 'X-Mine': `v${p}` } }),
      (p) => ({ headers: { [`X-Mine${p}`]: 'v' } }),
      (p) => ({ attachments: [{ filename: `a${p}.pdf`, content: 'JVBERg==', content_type: 'application/pdf' }] }),
      (p) => ({ attachments: [{ filename: 'a.pdf', content: 'JVBERg==', content_type: `application/pdf${p}` }] }),
      (p) => ({
        attachments: [{ filename: 'a.png', content: 'JVBERg==', content_type: 'image/png', content_id: `c${p}` }],
      }),
    ];
    for (const payload of payloads) {
      for (const field of fields) {
        const { status, body } = await post(program.mail(field(payload)));
        expect([201, 400], JSON.stringify(field(payload))).toContain(status);
        if (status !== 201) continue;
        const [head] = (await messageOf(body.id)).split('\r\n\r\n');
        expect(head, JSON.stringify(field(payload))).not.toMatch(/^(X-Injected|Bcc):/im);
      }
    }
    for (const to of [
      'a@example.com, b@example.com',
      'G: a@example.com;',
      'a@example.com\r\nBcc: b@example.com',
      '"a@example.com b"@example.com',
      'a@example.com (b@example.com)',
      '<a@example.com> <b@example.com>',
    ])
      expect((await post(program.mail({ to }))).status, to).toBe(400);
    const objects = await post(
      program.mail({
        headers: { 'X-A': { prepared: true, value: 'x\r\nX-Injected: 1' } },
        html: { path: '/etc/passwd' },
        text: { href: 'http://127.0.0.1/' },
      }),
    );
    expect(objects.status).toBe(400);
    expect(objects.body.details.map((detail) => detail.field).sort()).toEqual(['headers.X-A', 'html', 'text']);
  });

  it('survives upgrade requests to odd targets, each with and without a reset', async () => {
    for (const target of ['//', 'http://[', '//x:99999/', '*', '/other', '/graphql?x']) {
      for (let i = 0; i < 10; i++) await upgradeAndLeave(program.ports.http, target, i % 2 === 0);
    }
    expect((await program.call('GET', '/healthz')).status).toBe(200);
  });

  it('answers 404 for mail, domains, captures and webhooks of another account', async () => {
    const other = await accountOn(program);
    const asOther = { authorization: `Bearer ${other.key}` };
    const { body } = await post(program.mail());
    const [captured] = await capturedEntries(program, body.id);
    const [domain] = await program.json<{ id: string }[]>('GET', '/domains');
    const hook = await program.json<{ id: string }>('POST', '/webhooks', { url: 'http://127.0.0.1:1/', events: ['*'] });
    const unknown = (id: string) => id.replace(/[0-9a-f]{8}$/, 'ffffffff');
    for (const [method, path, id] of [
      ['GET', '/emails/', body.id],
      ['GET', '/captured/', `${captured.id}/raw`],
      ['GET', '/domains/', `${domain.id}/stats`],
      ['DELETE', '/webhooks/', hook.id],
    ] as const) {
      const foreign = await program.call(method, path + id, undefined, asOther);
      const missing = await program.call(method, path + id.replace(/[0-9a-f]{32}/, unknown), undefined, asOther);
      expect([foreign.status, missing.status], path).toEqual([404, 404]);
      const answer = async (response: Response) => ({ ...((await response.json()) as object), request_id: '' });
      expect(await answer(foreign), path).toEqual(await answer(missing));
    }
    expect(await (await other.call('GET', '/webhooks')).json()).toEqual([]);
    expect(await (await other.call('GET', '/domains')).json()).toMatchObject([{ id: other.domainId }]);
    expect(await (await program.call('GET', '/captured', undefined, asOther)).json()).toMatchObject({ data: [] });
    expect(await (await program.call('DELETE', '/captured', undefined, asOther)).json()).toMatchObject({ count: 0 });
    expect((await program.call('GET', `/captured/${captured.id}/raw`)).status).toBe(200);
    expect((await program.call('DELETE', `/webhooks/${hook.id}`)).status).toBe(200);
  });
});

function upgradeAndLeave(port: number, target: string, reset: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      );
      setTimeout(() => {
        if (reset) socket.resetAndDestroy();
        else socket.destroy();
        resolve();
      }, 10);
    });
    socket.on('error', () => resolve());
  });
}
