import { beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';

interface Answer {
  status: number;
  body: {
    error?: string;
    name?: string;
    message?: string;
    details?: { field: string; code: string; message: string }[];
  };
}

let gateway: GatewayApp;
let own: Awaited<ReturnType<GatewayApp['account']>>;
beforeAll(async () => {
  gateway = await sharedGateway();
  own = await gateway.account();
});

const mail = (over: object = {}) => ({
  from: `Shop <orders@${own.domain}>`,
  to: 'ada@example.com',
  subject: 'Order',
  text: 'Hello',
  // Nothing here is meant to be delivered.
  scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  ...over,
});
async function post(body: unknown, path = '/emails'): Promise<Answer> {
  const response = await gateway
    .agent(own.key)
    .post(path)
    .type('json')
    .send(body as object);
  return { status: response.status, body: response.body as Answer['body'] };
}
/** Stack frames, paths, SQL, and names of the software. */
const LEAKS = /node_modules|\bat \S+ \(|\.[jt]s:\d|SELECT |INSERT |postgres|fastify|nestjs/i;

describe('a value of another type than the field has', () => {
  const HUGE = 'x'.repeat(100_000);
  const FILE = { filename: 'a.pdf', content: 'JVBERi0xLjcK', content_type: 'application/pdf', content_id: 'a' };
  /** Of each field, the values that it does take of those below. */
  const FIELDS: Record<string, { of: (value: unknown) => object; takes?: (value: unknown) => boolean }> = {
    from: { of: (v) => ({ from: v }) },
    to: { of: (v) => ({ to: v }) },
    'to[0]': { of: (v) => ({ to: [v] }) },
    cc: { of: (v) => ({ cc: v }), takes: isEmptyArray },
    bcc: { of: (v) => ({ bcc: v }), takes: isEmptyArray },
    reply_to: { of: (v) => ({ reply_to: v }), takes: isEmptyArray },
    subject: { of: (v) => ({ subject: v }), takes: (v) => v === 'false' || v === '1' },
    html: { of: (v) => ({ html: v }), takes: (v) => typeof v === 'string' },
    text: { of: (v) => ({ text: v }), takes: (v) => typeof v === 'string' },
    attachments: { of: (v) => ({ attachments: v }), takes: isEmptyArray },
    'attachments[0]': { of: (v) => ({ attachments: [v] }) },
    'attachments[0].filename': {
      of: (v) => ({ attachments: [{ ...FILE, filename: v }] }),
      takes: (v) => v === 'false' || v === '1',
    },
    // The long text is base64 of something, and refused for what it is (422). No text is an empty file.
    'attachments[0].content': {
      of: (v) => ({ attachments: [{ ...FILE, content: v }] }),
      takes: (v) => v === HUGE || v === '',
    },
    'attachments[0].path': { of: (v) => ({ attachments: [{ ...FILE, content: undefined, path: v }] }) },
    'attachments[0].content_type': {
      of: (v) => ({ attachments: [{ ...FILE, content_type: v }] }),
      takes: (v) => v === null,
    },
    'attachments[0].content_id': {
      of: (v) => ({ attachments: [{ ...FILE, content_id: v }] }),
      takes: (v) => v === null || v === 'false' || v === '1',
    },
    headers: { of: (v) => ({ headers: v }), takes: isMap },
    'headers.X-A': { of: (v) => ({ headers: { 'X-A': v } }), takes: (v) => v === 'false' || v === '1' },
    tags: { of: (v) => ({ tags: v }), takes: (v) => isMap(v) || isEmptyArray(v) },
    'tags.a': { of: (v) => ({ tags: { a: v } }), takes: (v) => v === 'false' || v === '1' || v === '' },
    scheduled_at: { of: (v) => ({ scheduled_at: v }) },
    priority: { of: (v) => ({ priority: v }) },
    suppression_policy: { of: (v) => ({ suppression_policy: v }) },
    expires_in: { of: (v) => ({ expires_in: v }) },
    list_unsubscribe: { of: (v) => ({ list_unsubscribe: v }), takes: (v) => v === true },
    'list_unsubscribe.url': { of: (v) => ({ list_unsubscribe: { url: v } }) },
    'list_unsubscribe.mailto': { of: (v) => ({ list_unsubscribe: { mailto: v } }) },
    'list_unsubscribe.one_click': {
      of: (v) => ({ list_unsubscribe: { url: 'https://example.com/', one_click: v } }),
      takes: (v) => typeof v === 'boolean',
    },
    sandbox: { of: (v) => ({ sandbox: v }), takes: (v) => typeof v === 'boolean' },
    sandbox_result: { of: (v) => ({ sandbox: true, sandbox_result: v }) },
  };
  const VALUES = [
    null,
    0,
    1,
    -1,
    1e300,
    true,
    false,
    [],
    [[]],
    [null],
    {},
    { length: 1 },
    { '0': 'a' },
    '',
    'false',
    '1',
    HUGE,
  ];

  /** Null in any other field is taken as absent. */
  const WITHOUT_NULL =
    /^(?:from|to|subject|to\[0\]|attachments\[0\](?:\.filename|\.content|\.path)?|headers\.X-A|tags\.a|list_unsubscribe\.(?:url|mailto))$/;

  it.each(Object.keys(FIELDS))('is refused by its name: %s', async (field) => {
    const { of, takes = () => false } = FIELDS[field];
    for (const value of VALUES) {
      const what = `${field}: ${JSON.stringify(value).slice(0, 40)}`;
      const { status, body } = await post(mail(of(value)));
      if (takes(value) || (value === null && !WITHOUT_NULL.test(field))) {
        expect(status, what).toBeLessThan(500);
        continue;
      }
      expect(status, `${what} ${JSON.stringify(body)}`).toBe(400);
      const fields = (body.details ?? []).map((detail) => detail.field);
      expect(fields.length, what).toBeGreaterThan(0);
      const root = field.split(/[.[]/, 1)[0];
      for (const named of fields)
        expect(named.split(/[.[]/, 1)[0], what).toMatch(new RegExp(`^(${root}|sandbox_result)$`));
      expect(JSON.stringify(body), what).not.toMatch(LEAKS);
    }
  });

  it('is refused in place of the whole body, and of an element of a batch', async () => {
    for (const value of [null, 0, true, 'text', [], [mail()], '']) {
      expect((await post(JSON.stringify(value))).status, JSON.stringify(value)).toBe(400);
      expect((await post(JSON.stringify([mail(), value]), '/emails/batch')).status, JSON.stringify(value)).toBe(400);
    }
    for (const value of [null, 0, true, 'text', {}, mail(), []])
      expect((await post(JSON.stringify(value), '/emails/batch')).status, JSON.stringify(value)).toBe(400);
  });

  it('costs nobody else anything, however long the text', async () => {
    const long = 'a'.repeat(1_000_000);
    const traps = [
      `${long}@`,
      `"${long}`,
      `<${long}`,
      `a@${'a.'.repeat(500_000)}`,
      ' '.repeat(1_000_000),
      '('.repeat(1_000_000),
    ];
    for (const field of ['from', 'to', 'reply_to', 'subject', 'scheduled_at', 'sandbox_result'])
      for (const trap of traps) expect((await post(mail({ [field]: trap }))).status, field).toBe(400);
  });
});

describe('a body that means one thing to one parser and another to the next', () => {
  const raw = (inside: string) => JSON.stringify(mail()).replace(/^\{/, `{${inside},`);

  it.each([
    ['a field twice', () => raw('"from":"a@b.test"')],
    ['a field twice, once escaped', () => raw('"fr\\u006fm":"a@b.test"')],
    ['a nested key twice', () => raw('"tags":{"a":"1","a":"2"}')],
    ['a lone high surrogate', () => raw('"tags":{"a":"\\ud800"}')],
    ['a lone low surrogate', () => raw('"tags":{"a":"\\udc00"}')],
    ['an escaped NUL', () => raw('"tags":{"a":"\\u0000"}')],
    ['a raw control character', () => raw('"tags":{"a":"\u0001"}')],
    ['a number beyond all bounds', () => raw('"expires_in":1e999')],
    ['a number that no double holds', () => raw('"expires_in":3600.00000000000001e30')],
    ['a number of a thousand digits', () => raw(`"expires_in":${'9'.repeat(1000)}`)],
    ['NaN', () => raw('"expires_in":NaN')],
    ['hex', () => raw('"expires_in":0x1000')],
    ['a comment', () => raw('/* */"x":1')],
    ['single quotes', () => "{'from':'a'}"],
    ['a comma at the end', () => JSON.stringify(mail()).replace(/\}$/, ',}')],
    ['two bodies', () => JSON.stringify(mail()) + JSON.stringify(mail())],
    ['something behind', () => `${JSON.stringify(mail())}x`],
    ['a byte order mark', () => `\ufeff${JSON.stringify(mail())}`],
    ['nesting', () => raw(`"x":${'['.repeat(40)}${']'.repeat(40)}`)],
    ['nothing', () => ''],
  ])('is refused: %s', async (_what, body) => {
    const answer = await post(body());
    expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    expect(JSON.stringify(answer.body)).not.toMatch(LEAKS);
  });

  it.each([
    ['UTF-16', () => Buffer.from(JSON.stringify(mail()), 'utf16le')],
    ['Latin-1', () => Buffer.from(JSON.stringify(mail({ subject: 'é' })), 'latin1')],
    ['overlong UTF-8', () => Buffer.from(JSON.stringify(mail({ subject: '??' })).replace('??', '\xc0\xaf'), 'latin1')],
  ])('is refused in %s', async (_what, bytes) => {
    const body = bytes();
    // The bytes as they are: superagent would write them as JSON.
    const answer = await gateway
      .agent(own.key)
      .post('/emails')
      .type('json')
      .serialize(() => body as never)
      .send(body);
    expect(answer.status).toBe(400);
    expect((answer.body as Answer['body']).details?.[0].code).toMatch(/^(control_character|invalid_unicode)$/);
  });
});

describe('a key that would reach a prototype', () => {
  const KEYS = ['__proto__', 'constructor', 'prototype', '\\u005f_proto__', '__pro\\u0074o__'];
  const inside = (key: string) => [
    `{"${key}":{"polluted":"yes"}}`,
    `{"tags":{"${key}":{"polluted":"yes"}}}`,
    `{"headers":{"${key}":"polluted"}}`,
    `{"attachments":[{"${key}":{"filename":"polluted"}}]}`,
  ];

  it(`is refused in every place: ${KEYS.length * 4} bodies`, async () => {
    for (const body of KEYS.flatMap(inside)) {
      const { status, body: answer } = await post(body);
      expect([status, answer.details?.[0].code], body).toEqual([400, 'forbidden_key']);
    }
  });

  it('changes nothing for anybody, in queries and names of tags and headers too', async () => {
    for (const query of [
      'tags[__proto__][x]=1',
      'tags[__proto__]=1',
      '__proto__[polluted]=1',
      'constructor[prototype][x]=1',
      'limit[__proto__]=1',
    ])
      expect((await gateway.agent(own.key).get(`/emails?${query}`)).status, query).toBeLessThan(500);
    for (const name of ['toString', 'valueOf', 'hasOwnProperty', 'then', 'toJSON'])
      for (const field of ['tags', 'headers'])
        expect((await post(mail({ [field]: { [name]: 'x' } }))).status).toBe(201);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const { status, body } = await post({});
    expect(status).toBe(400);
    expect(body.details?.map((detail) => detail.field).sort()).toEqual(['from', 'html', 'subject', 'to']);
  });
});

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
/** Of names and strings, or empty. */
function isMap(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((member) => typeof member === 'string');
}
