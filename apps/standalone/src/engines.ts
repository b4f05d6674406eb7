import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type Config, type KernelParts } from '#libs/kernel';
import { acquireDataDir, EmbeddedPostgres } from '#libs/persistence';
import pg from 'pg';
import { loadMasterKey } from './master-key.js';

/** Two standalone programs on one database would each keep statistics of half of the events. */
const ONE_STANDALONE_LOCK = 7_305_119_003;

/**
 * Starts what the standalone program runs on: the data directory for itself alone, the master key, and PostgreSQL as a
 * child process unless DATABASE_URL names a server.
 */
export async function startEngines({ config, log, shutdown }: KernelParts): Promise<Config> {
  const directory = await acquireDataDir(config.dataDir).catch(sayInOneSentence);
  shutdown.on('engine', 'data directory', () => directory.release());
  const MASTER_KEY = config.settings.MASTER_KEY ?? (await loadMasterKey(config.dataDir));
  if (config.settings.DATABASE_URL !== undefined) {
    await beTheOnlyStandalone(config.settings.DATABASE_URL, shutdown);
    return config.with({ MASTER_KEY });
  }
  const postgres = await EmbeddedPostgres.start({
    dataDir: config.dataDir,
    log: (event, fields) => log.info(event, fields),
  }).catch(sayInOneSentence);
  await publishUrl(config.dataDir, postgres.url);
  shutdown.on('engine', 'postgresql', async () => {
    await rm(urlFile(config.dataDir), { force: true });
    await postgres.stop();
  });
  return config.with({ MASTER_KEY, DATABASE_URL: postgres.url });
}

/** What keeps an engine from starting lies outside the program: whoever starts it needs the reason, not our stack. */
function sayInOneSentence(error: Error): never {
  throw new ConfigError(error.message.replace(/\s+/g, ' '), { cause: error });
}

const urlFile = (dataDir: string): string => join(dataDir, 'database-url');

/** Where the command line finds the database of a running standalone; readable by the owner only. */
async function publishUrl(dataDir: string, url: string): Promise<void> {
  const temporary = `${urlFile(dataDir)}.new`;
  await writeFile(temporary, `${url}\n`, { mode: 0o600 });
  await rename(temporary, urlFile(dataDir));
}

async function beTheOnlyStandalone(url: string, shutdown: KernelParts['shutdown']): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'postloft-standalone-lock' });
  await client.connect();
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
    ONE_STANDALONE_LOCK,
  ]);
  shutdown.on('engine', 'standalone lock', () => client.end());
  if (!rows[0].locked)
    throw new ConfigError(
      'Another standalone Postloft already runs on this DATABASE_URL. Run the five programs instead, or stop the other one.',
    );
  client.on('error', () => undefined);
}
