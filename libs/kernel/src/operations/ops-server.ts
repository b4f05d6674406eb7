import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Config } from '../config/config.js';
import { Health } from './health.js';
import type { Metrics } from './metrics.js';
import type { Log } from '../logging/log.js';
import type { Shutdown } from './shutdown.js';

/** Serves `/healthz`, `/readyz` and `/metrics` on a port that is not public (OPS_HOST, OPS_PORT; off by default). */
export async function startOpsServer(parts: {
  config: Config;
  log: Log;
  health: Health;
  metrics: Metrics;
  shutdown: Shutdown;
}): Promise<Server | undefined> {
  const { OPS_HOST, OPS_PORT } = parts.config.settings;
  if (OPS_PORT === undefined) return undefined;
  const server = createServer((request, response) => {
    void respond(request.url ?? '', response, parts).catch((error: unknown) => {
      parts.log.error('ops request failed', error);
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(OPS_PORT, OPS_HOST, resolve);
  });
  parts.shutdown.on('engine', 'ops server', () => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

async function respond(
  url: string,
  response: ServerResponse,
  parts: { health: Health; metrics: Metrics; shutdown: Shutdown },
): Promise<void> {
  switch (url.split('?', 1)[0]) {
    case '/healthz':
      return json(response, 200, { status: 'ok', version: Health.version });
    case '/readyz': {
      const failing = parts.shutdown.begun ? { shutdown: 'this process is stopping' } : await parts.health.failures();
      const ready = Object.keys(failing).length === 0;
      return json(response, ready ? 200 : 503, ready ? { status: 'ready' } : { status: 'unavailable', failing });
    }
    case '/metrics':
      response
        .writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
        .end(await parts.metrics.render());
      return;
    default:
      return json(response, 404, { error: 'not_found' });
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
