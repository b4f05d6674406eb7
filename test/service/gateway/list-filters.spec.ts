import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { gatewayTest as it } from '../../support/fixtures/gateway-tests.js';

interface Parameter {
  name: string;
  in: string;
  style?: string;
  schema: { enum?: string[]; const?: string; default?: unknown; examples?: string[] };
}
const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, { get?: { parameters: Parameter[] } } | undefined>;
};
const LISTS = ['/emails', '/events', '/suppressions', '/logs', '/captured'];
const TIMES = ['created_after=2020-01-01T00:00:00Z', 'created_before=2099-01-01T00:00:00Z'];
/** Filters that match something of the account. */
const MATCHING = {
  '/emails': [
    'status=queued',
    'status=scheduled',
    'last_event=queued',
    'to=user@example.com',
    'recipient_domain=example.com',
    'waiting=true',
    'from=shop@DOMAIN',
    'subject=your+order',
    'search=ORDER',
    'search=ser@exam',
    'tags[order]=x',
    'scheduled=true',
    ...TIMES,
  ],
  '/events': ['type=email.queued', 'recipient=user@example.com', ...TIMES],
  '/suppressions': ['origin=manual', 'q=@example.net', 'search=E@EXAMPLE', 'expired=false'],
  '/logs': ['status=201', 'method=POST', 'endpoint=/emails', ...TIMES],
};
/** Two cursors exclude each other, and a cursor has tests of its own. */
const CURSORS = ['after', 'before'];
let key: string;
let domain: string;
it.beforeAll(async ({ gateway }) => {
  ({ key, domain } = await gateway.account());
  const mail = {
    from: `shop@${domain}`,
    to: 'user@example.com',
    subject: 'Your order',
    text: 'Hi',
    tags: { order: 'x' },
  };
  const later = { ...mail, scheduled_at: new Date(Date.now() + 3_600_000).toISOString() };
  for (const one of [mail, later]) await gateway.agent(key).post('/emails').send(one).expect(201);
  await gateway.agent(key).post('/suppressions').send({ email: 'gone@example.net' }).expect(201);
});

function filterOf({ name, style, schema }: Parameter): string {
  const value =
    name === 'domain' ? domain : (schema.examples?.[0] ?? schema.const ?? schema.enum?.[0] ?? schema.default);
  if (style === 'deepObject') return `${name}[order]=x`;
  return `${name}=${encodeURIComponent(String(value))}`;
}

/** Statements are put together from the filters that are given, so it takes all combinations of two to see them all. */
describe.each(LISTS.filter((path) => paths[path]?.get))('every two filters of GET %s', (path) => {
  it('can be given together', async ({ gateway }) => {
    const filters = (paths[path]?.get?.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && !CURSORS.includes(parameter.name))
      .map(filterOf);
    const failed: string[] = [];
    for (const [i, one] of filters.entries()) {
      for (const other of filters.slice(i)) {
        const query = one === other ? one : `${one}&${other}`;
        const answer = await gateway.agent(key).get(`${path}?${query}`);
        if (answer.status !== 200) failed.push(`${query}: ${answer.status} ${answer.text}`);
      }
    }
    expect(failed).toEqual([]);
  });
});

describe('the filters of a list', () => {
  it.for(Object.entries(MATCHING))(
    'of GET %s find entries of the own account only',
    async ([path, filters], { gateway }) => {
      const stranger = await gateway.account();
      const found = async (token: string, filter: string) => {
        const { body } = await gateway.agent(token).get(`${path}?${filter}`).expect(200);
        return (body as { data: { id: string }[] }).data.map(({ id }) => id);
      };
      for (const filter of filters.map((one) => one.replace('DOMAIN', domain))) {
        const [own, theirs] = [await found(key, filter), await found(stranger.key, filter)];
        expect(own, `${path}?${filter} of the owner`).not.toEqual([]);
        expect(
          theirs.filter((id) => own.includes(id)),
          `${path}?${filter} of another account`,
        ).toEqual([]);
      }
    },
  );
});
