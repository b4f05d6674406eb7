import { ConfigError, type Config, type Log } from '#libs/kernel';
import { access, constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type DataSourceOptions, type EntitySchema } from 'typeorm';
import { dataSourceOptions } from '../persistence.module.js';
import { explainDatabaseError } from './explain-start-error.js';
import { acquireDataDir, EmbeddedPostgres } from '../embedded-postgres/index.js';

interface OpenDatabaseOptions {
  config: Config;
  log: Log;
  entities: (EntitySchema | (new () => object))[];
}
export interface OpenDatabase {
  dataSource: DataSource;
  close(): Promise<void>;
}

type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** A starting service has its database up within this time, the first start included. */
const WAIT_MS = 60_000;
const RETRY_MS = 250;
const HINT_AFTER_TRIES = 8;

/** Contains the URL of the embedded database while a standalone program runs; readable by the owner only. */
export const databaseUrlFile = (dataDir: string): string => join(dataDir, 'database-url');

/**
 * Opens the database of this installation: the one of DATABASE_URL, else that of the service running on DATA_DIR, else the
 * embedded one, which is started for the caller and stopped by `close`. While another process holds the data directory
 * without a running database (a service that starts, a command that ends), it waits.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const { config } = options;
  if (config.settings.DATABASE_URL !== undefined)
    return connect(options, config.settings.DATABASE_URL).catch((error: unknown) => {
      const sentence = explainDatabaseError(error, config);
      throw sentence === null ? error : new ConfigError(sentence, { cause: error });
    });
  const deadline = performance.now() + WAIT_MS;
  let tries = 0;
  for (;;) {
    const running = await connectToRunning(options);
    if (running) return running;
    const directory = await acquireDataDir(config.dataDir).catch((error: Error) => error);
    if (!(directory instanceof Error)) return startEmbedded(options, directory);
    if (performance.now() > deadline || !(await isLockable(config.dataDir))) throw directory;
    if (++tries === HINT_AFTER_TRIES) process.stderr.write(`${directory.message} Waiting for its database.\n`);
    await sleep(RETRY_MS);
  }
}

/** False when the data directory is not accessible, so that waiting does not help. */
async function isLockable(dataDir: string): Promise<boolean> {
  return access(join(dataDir, 'lock'), constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function connect({ config, log, entities }: OpenDatabaseOptions, url: string): Promise<OpenDatabase> {
  let isClosing = false;
  // A server that stops may be faster than the goodbye of a connection, which nobody misses.
  const poolErrorHandler = (error: Error) => {
    if (!isClosing) log.warn('database connection lost', { reason: error.message });
  };
  const connection = dataSourceOptions(config.with({ DATABASE_URL: url }), log) as PostgresOptions;
  const dataSource = await new DataSource({ ...connection, poolErrorHandler, entities }).initialize();
  const close = () => {
    isClosing = true;
    return dataSource.destroy();
  };
  return { dataSource, close };
}

/** Null when no service runs on DATA_DIR. A service that was killed leaves its file behind. */
async function connectToRunning(options: OpenDatabaseOptions): Promise<OpenDatabase | null> {
  const url = await readFile(databaseUrlFile(options.config.dataDir), 'utf8').catch(() => '');
  if (url.trim() === '') return null;
  return connect(options, url.trim()).catch((error: Error) => {
    options.log.debug('the database of the running service does not answer', { reason: error.message });
    return null;
  });
}

async function startEmbedded(
  options: OpenDatabaseOptions,
  directory: Awaited<ReturnType<typeof acquireDataDir>>,
): Promise<OpenDatabase> {
  const { config, log } = options;
  try {
    const postgres = await EmbeddedPostgres.start({
      dataDir: config.dataDir,
      log: (event, fields) => log.debug(event, fields),
    });
    const connected = await connect(options, postgres.url).catch(async (error: unknown) => {
      await postgres.stop();
      throw error;
    });
    return {
      dataSource: connected.dataSource,
      close: async () => {
        await connected.close();
        await postgres.stop();
        directory.release();
      },
    };
  } catch (error) {
    directory.release();
    throw error;
  }
}
