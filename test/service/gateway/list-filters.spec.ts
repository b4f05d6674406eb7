import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/gateway-app.js';

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
/** Two cursors exclude each other, and a cursor has tests of its own. */
const CURSORS = ['after', 'before'];

let gateway: GatewayApp;
let key: string;
let domain: string;
beforeAll(async () => {
  gateway = await sharedGateway();
  ({ key, domain } = await gateway.account());
  const mail = {
    from: `shop@${domain}`,
    to: 'user@example.com',
    subject: 'Your order',
    text: 'Hi',
    tags: { order: 'x' },
  };
  expect((await gateway.agent(key).post('/emails').send(mail)).status).toBe(201);
});

function filterOf({ name, style, schema }: Parameter): string {
  const value =
    name === 'domain' ? domain : (schema.examples?.[0] ?? schema.const ?? schema.enum?.[0] ?? schema.default);
  if (style === 'deepObject') return `${name}[order]=x`;
  return `${name}=${encodeURIComponent(String(value))}`;
}

/** Statements are put together from the filters that are given, so it takes all combinations of two to see them all. */
describe.each(LISTS.filter((path) => paths[path]?.get))('every two filters of GET %s', (path) => {
  it('can be given together', async () => {
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
