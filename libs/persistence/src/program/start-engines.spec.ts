import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig, Log, Shutdown } from '#libs/kernel';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEngines } from './start-engines.js';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'postloft-engines-'));
  chmodSync(dataDir, 0o755);
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

it.each([
  ['12', /was made by PostgreSQL 12/],
  // The current version: PostgreSQL reports an error in its settings in several lines.
  ['18', /syntax error.*contains errors/],
])('reports in one line why an unusable database of version %s does not start', async (version, reason) => {
  const cluster = join(dataDir, 'postgres', 'cluster');
  mkdirSync(cluster, { recursive: true });
  writeFileSync(join(cluster, 'PG_VERSION'), `${version}\n`);
  writeFileSync(join(cluster, 'postgresql.conf'), 'no = = setting\n');
  writeFileSync(join(dataDir, 'postgres', 'password'), 'secret\n');
  const log = Log.quiet();
  const shutdown = new Shutdown(log);
  const config = loadConfig('standalone', { DATA_DIR: dataDir });
  const failure: unknown = await startEngines({ config, log, shutdown }).catch((error: unknown) => error);
  await shutdown.run();
  expect(failure).toBeInstanceOf(ConfigError);
  expect((failure as ConfigError).message).toMatch(reason);
  expect((failure as ConfigError).message).not.toContain('\n');
});
