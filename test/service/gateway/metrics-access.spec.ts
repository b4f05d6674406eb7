import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Health, loadConfig, Log, Metrics, Shutdown, startOpsServer } from '#libs/kernel';
import { sharedGateway, startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

const TOKEN = 'metrics-token-0123456789';
const PROXY = { TRUST_PROXY: '127.0.0.1' };
const PUBLIC = { PUBLIC_URL: 'https://post.example.org' };
const FORWARDED = { 'x-forwarded-for': '203.0.113.7' };

let gateway: GatewayApp | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

async function start(env: Record<string, string>): Promise<GatewayApp> {
  gateway = await startGatewayApp({ ...env, DATABASE_URL: (await sharedGateway()).databaseUrl });
  return gateway;
}

describe('GET /metrics on HTTP_PORT', () => {
  it.each([
    ['behind a proxy', PROXY],
    ['with a public URL', PUBLIC],
  ])('is 404 %s', async (_what, env) => {
    const { agent } = await start(env);
    for (const headers of [{}, FORWARDED, { authorization: `Bearer ${TOKEN}` }])
      expect((await agent().get('/metrics').set(headers)).status).toBe(404);
  });

  it('is served to clients on the same host as long as the service is not public', async () => {
    const { agent } = await sharedGateway();
    expect((await agent().get('/metrics')).text).toContain('postloft_http_connections');
    expect((await agent().get('/metrics').set(FORWARDED)).status).toBe(404);
  });

  it('with METRICS_TOKEN is served only to clients that send it', async () => {
    const { agent } = await start({ ...PROXY, ...PUBLIC, METRICS_TOKEN: TOKEN });
    for (const headers of [{}, FORWARDED]) {
      expect((await agent(TOKEN).get('/metrics').set(headers)).text).toContain('process_cpu');
      for (const request of [agent(), agent(`${TOKEN}x`), agent('bootstrap-key-0123456789')]) {
        const refused = await request.get('/metrics').set(headers);
        expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer realm="postloft"']);
      }
    }
  });
});

describe('GET /metrics on OPS_PORT', () => {
  it('needs no token', async () => {
    const config = loadConfig('standalone', { ...PROXY, ...PUBLIC, METRICS_TOKEN: TOKEN, OPS_PORT: '0' });
    const log = Log.quiet();
    const shutdown = new Shutdown(log);
    const parts = { config, log, shutdown, health: new Health(log), metrics: new Metrics() };
    const server = await startOpsServer(parts);
    if (server === undefined) throw new Error('OPS_PORT is set');
    const { port } = server.address() as AddressInfo;
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain('process_cpu');
    await shutdown.run();
  });
});
