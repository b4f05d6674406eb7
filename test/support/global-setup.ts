import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../../libs/persistence/src/embedded-postgres/index.js';

/** One PostgreSQL per run; each file makes databases of its own on it. TEST_DATABASE_URL names another server instead. */
export default async function setup(): Promise<() => Promise<void>> {
  if (process.env['TEST_DATABASE_URL'] !== undefined) return async () => {};
  const dir = mkdtempSync(join(tmpdir(), 'postloft-tests-'));
  chmodSync(dir, 0o755);
  const server = await EmbeddedPostgres.start({ dataDir: dir, log: () => undefined });
  process.env['TEST_DATABASE_URL'] = server.url;
  return async () => {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  };
}
