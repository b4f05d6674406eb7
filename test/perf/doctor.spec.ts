import { execFile } from 'node:child_process';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startDoctorNetwork } from '../support/doctor/doctor-network.js';

const CLI = join(new URL('../../', import.meta.url).pathname, 'dist/programs/cli.js');
const LIMIT_MS = 30_000;

it('the doctor ends within 30 s when no server answers', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  const [network] = await Promise.all([
    startDoctorNetwork(),
    new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)),
  ]);
  network.dns.isAway = true;
  network.time.isSilent = true;
  const port = String((silent.address() as AddressInfo).port);
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...network.env,
    DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x`,
    CLICKHOUSE_URL: `http://127.0.0.1:${port}/x`,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    HTTP_PORT: port,
    SMTP_PORT: port,
    INBOUND_SMTP_PORT: port,
  };
  const startedAt = performance.now();
  await promisify(execFile)(process.execPath, [CLI, 'doctor', '--json'], { env }).catch(() => undefined);
  const ms = performance.now() - startedAt;
  for (const socket of sockets) socket.destroy();
  silent.close();
  await network.close();
  expect(ms).toBeLessThan(LIMIT_MS);
});
