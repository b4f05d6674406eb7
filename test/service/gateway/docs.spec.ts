import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { gatewayTest } from '../../support/fixtures/gateway-tests.js';

const it = gatewayTest.extend('settings', { scope: 'file' }, { PUBLIC_URL: 'https://mail.example.com' }).extend(
  'get',
  ({ gateway }) =>
    (path: string, headers: Record<string, string> = {}) =>
      gateway.agent().get(path).set(headers),
);

describe('GET /openapi.json', () => {
  it.for(['/openapi.json', '/v1/openapi.json'])('is answered to everybody at %s', async (path, { get }) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const document = answer.body as { openapi: string; servers: { url: string }[]; paths: object };
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers.map(({ url }) => url)).toEqual(['https://mail.example.com']);
    expect(Object.keys(document.paths)).toContain('/emails');
  });
});

describe('GET /docs', () => {
  it('is a page whose every part comes from this host, and that may load nothing else', async ({ get }) => {
    const answer = await get('/docs');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = answer.headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    const page = answer.text;
    expect(page).not.toMatch(/https?:/);
    expect(page).not.toMatch(/<script>|<style|style=| on\w+=/);
    const parts = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, part]) => part);
    expect(parts).toHaveLength(5);
    for (const part of parts) {
      const asset = await get(`/${part}`).responseType('blob');
      expect([part, asset.status]).toEqual([part, 200]);
      expect((asset.body as Buffer).length).toBeGreaterThan(100);
    }
  });

  it('gives its parts with their types, to be kept for ever, packed where the client can unpack', async ({ get }) => {
    const page = (await get('/docs')).text;
    const script = /src="(docs\/[0-9a-f]{16}-swagger-ui\.js)"/.exec(page)?.[1];
    const style = /href="(docs\/[0-9a-f]{16}-docs\.css)"/.exec(page)?.[1];
    const packed = await get(`/${script}`, { 'accept-encoding': 'gzip' });
    const plain = await get(`/${script}`, { 'accept-encoding': 'identity' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(Number(packed.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) / 2);
    expect(packed.text).toBe(plain.text);
    expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get(`/${style}`)).headers['content-type']).toBe('text/css; charset=utf-8');
  });

  it('has the pages of the documentation beside it, with their links and without scripts', async ({ get }) => {
    const { status, text, headers } = await get('/docs/statistics');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toMatch(/<title>Statistics · Postloft<\/title>/);
    expect(text).toContain('<h2 id="rates">');
    expect(text).not.toContain('<script');
    const style = /href="([0-9a-f]{16}-guide\.css)"/.exec(text)?.[1];
    expect((await get(`/docs/${style}`)).headers['content-type']).toBe('text/css; charset=utf-8');
    const pages = [...text.matchAll(/<li><a href="([a-z-]+)"/g)].map(([, name]) => name);
    expect(pages).toEqual(expect.arrayContaining(['dashboard', 'dashboard-login', 'content-store', 'statistics']));
    for (const page of pages) expect([page, (await get(`/docs/${page}`)).status]).toEqual([page, 200]);
  });

  it.for(['/docs/none.js', '/docs/..%2fpackage.json', '/docs/swagger-ui.js', '/docs/__proto__'])(
    'knows no %s',
    async (path, { get }) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it('has its parts in an installation without the tools of developers', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };
    expect(Object.keys(dependencies)).toContain('swagger-ui-dist');
  });

  it('leaves the strict policy to every other answer', async ({ get }) => {
    for (const path of ['/openapi.json', '/healthz', '/emails', '/docs/none.js'])
      expect((await get(path)).headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
  });
});
