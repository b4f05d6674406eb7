import { rename, rm, writeFile } from 'node:fs/promises';
import { ConfigError, type Config, type KernelParts } from '#libs/kernel';
import pg from 'pg';
import { databaseUrlFile } from './open-database.js';
import { acquireDataDir, EmbeddedPostgres, restrictDataDir } from '../embedded-postgres/index.js';

/** Key of an advisory lock: two standalone programs on one database would each have statistics of half of the events. */
const STANDALONE_LOCK = 7_305_119_003;

/**
 * Prepares the standalone program: locks the data directory, and starts PostgreSQL as a child process unless DATABASE_URL is
 * set.
 */
export async function startEngines({ config, log, shutdown }: KernelParts): Promise<Config> {
  const directory = await acquireDataDir(config.dataDir).catch(throwConfigError);
  shutdown.on('engine', 'data directory', () => directory.release());
  if (config.settings.DATABASE_URL !== undefined) {
    restrictDataDir(config.dataDir, { isPassable: false });
    await lockStandalone(config.settings.DATABASE_URL, shutdown);
    return config;
  }
  const postgres = await EmbeddedPostgres.start({
    dataDir: config.dataDir,
    connections: config.settings.DATABASE_POOL_SIZE,
    log: (event, fields) => log.info(event, fields),
  }).catch(throwConfigError);
  await publishUrl(config.dataDir, postgres.url);
  shutdown.on('engine', 'postgresql', async () => {
    await rm(databaseUrlFile(config.dataDir), { force: true });
    await postgres.stop();
  });
  return config.withEmbeddedDatabase({ url: postgres.url, folder: postgres.folder });
}

/** An engine fails to start because of its environment: the operator needs the reason in one line, without a stack. */
function throwConfigError(error: Error): never {
  throw new ConfigError(error.message.replace(/\s+/g, ' '), { cause: error });
}

/** For the command line, which works on the database of the running program. */
async function publishUrl(dataDir: string, url: string): Promise<void> {
  const file = databaseUrlFile(dataDir);
  const temporary = `${file}.new`;
  await writeFile(temporary, `${url}\n`, { mode: 0o600 });
  await rename(temporary, file);
}

async function lockStandalone(url: string, shutdown: KernelParts['shutdown']): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'postloft-standalone-lock' });
  await client.connect();
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
    STANDALONE_LOCK,
  ]);
  shutdown.on('engine', 'standalone lock', () => client.end());
  if (!rows[0].locked)
    throw new ConfigError(
      'Another standalone Postloft already runs on this DATABASE_URL. Run the five programs instead, or stop the other one.',
    );
  client.on('error', () => undefined);
}
