import { describe, expect } from 'vitest';
import { gatewayTest } from '../../support/fixtures/gateway-tests.js';

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const it = gatewayTest.extend(
  'get',
  ({ gateway }) =>
    (path: string, headers: Record<string, string> = {}) =>
      gateway.agent().get(path).set(headers),
);

describe('GET /graphql', () => {
  it.for(['/graphql', '/v1/graphql', '/graphql?query=%7Busage%7Bused%7D%7D'])(
    'answers a browser with GraphiQL, whose files are of this host: %s',
    async (path, { get }) => {
      const answer = await get(path, { accept: HTML });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.headers['vary']).toBe('accept, accept-encoding');
      const policy = answer.headers['content-security-policy'];
      expect(policy).toContain("default-src 'none'; script-src 'self'; worker-src 'self';");
      expect(policy).not.toMatch(/https?:|\*|script-src[^;]*unsafe/);
      expect(answer.text).not.toMatch(/https?:|<script>|\son\w+=/);
      const parts = [...answer.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, part]) => part);
      expect(parts.length).toBeGreaterThan(2);
      for (const part of parts) {
        expect(part).toMatch(/^\/graphql\/assets\/[\w.-]+$/);
        expect((await get(part)).status, part).toBe(200);
      }
    },
  );

  it('is the API for everybody else, who needs a key', async ({ gateway, get }) => {
    for (const accept of ['*/*', 'application/json', 'application/graphql-response+json'])
      expect((await get('/graphql', { accept })).status, accept).toBe(401);
    const post = await gateway.agent().post('/graphql').set({ accept: HTML }).send({ query: '{ usage { used } }' });
    expect([post.status, post.body]).toMatchObject([401, { name: 'missing_api_key' }]);
    expect((await get('/graphql/', { accept: HTML })).status).toBe(404);
    expect((await get('/graphql/assets/missing.js')).status).toBe(404);
    expect((await get('/graphql/assets/..%2findex.html')).status).toBe(404);
  });

  it('adds nothing to the dashboard', async ({ get }) => {
    const page = (await get('/graphql', { accept: HTML })).text;
    const name = /\/graphql\/(assets\/[^"]+\.js)"/.exec(page)?.[1];
    expect((await get(`/app/${name}`)).status).toBe(404);
    expect((await get('/app/')).text).not.toContain('/graphql/');
  });
});
