import { rmSync } from 'node:fs';
import { EmbeddedPostgres } from '../../libs/persistence/src/embedded-postgres/index.js';
import { copyPreparedDataDir, prepareDataDir } from './prepared-data-dir.js';
import { prepareRsaKeys } from './prepared-rsa-keys.js';

/** Files of several workers have gateways with a pool each. */
const TEST_CONNECTIONS = 200;

/** One PostgreSQL per run; each file makes databases of its own on it. TEST_DATABASE_URL names another server instead. */
export default async function setup(): Promise<() => Promise<void>> {
  await Promise.all([prepareDataDir(), prepareRsaKeys()]);
  if (process.env['TEST_DATABASE_URL'] !== undefined) return async () => {};
  const dataDir = copyPreparedDataDir();
  const server = await EmbeddedPostgres.start({ dataDir, connections: TEST_CONNECTIONS, log: () => undefined });
  // The migrated database becomes the template of the tests' databases, so nobody may be connected to it.
  const url = new URL(server.url);
  process.env['TEST_DATABASE_TEMPLATE'] = url.pathname.slice(1);
  url.pathname = '/postgres';
  process.env['TEST_DATABASE_URL'] = url.href;
  return async () => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
