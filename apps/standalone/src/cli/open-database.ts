import { ConfigError, type Config, type Log } from '#libs/kernel';
import { acquireDataDir, databaseProblem, dataSourceOptions, EmbeddedPostgres } from '#libs/persistence';
import { access, constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type EntitySchema } from 'typeorm';

interface Wanted {
  config: Config;
  log: Log;
  entities: (EntitySchema | (new () => object))[];
}
export interface OpenDatabase {
  dataSource: DataSource;
  close(): Promise<void>;
}

/** A service that is just starting makes its database within this time, the first start included. */
const WAIT_MS = 60_000;
const RETRY_MS = 250;
const HINT_AFTER_TRIES = 8;

/**
 * The database of this installation: the one of DATABASE_URL, else that of the service which runs on DATA_DIR, else the
 * embedded one, started for us alone and stopped by `close`. While somebody else has the data directory but no database
 * yet (the service is starting, another command ends), it waits.
 */
export async function openDatabase(wanted: Wanted): Promise<OpenDatabase> {
  const { config } = wanted;
  if (config.settings.DATABASE_URL !== undefined)
    return connect(wanted, config.settings.DATABASE_URL).catch((error: unknown) => {
      const sentence = databaseProblem(error, config);
      throw sentence === null ? error : new ConfigError(sentence, { cause: error });
    });
  const deadline = performance.now() + WAIT_MS;
  let tries = 0;
  for (;;) {
    const running = await connectToRunning(wanted);
    if (running) return running;
    const directory = await acquireDataDir(config.dataDir).catch((error: Error) => error);
    if (!(directory instanceof Error)) return startOwn(wanted, directory);
    if (performance.now() > deadline || !(await isLockable(config.dataDir))) throw directory;
    if (++tries === HINT_AFTER_TRIES) console.error(`${directory.message} Waiting for its database.`);
    await sleep(RETRY_MS);
  }
}

/** False where the data directory itself cannot be used; waiting would not help then. */
async function isLockable(dataDir: string): Promise<boolean> {
  return access(join(dataDir, 'lock'), constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function connect({ config, log, entities }: Wanted, url: string): Promise<OpenDatabase> {
  const options = dataSourceOptions(config.with({ DATABASE_URL: url }), log);
  const dataSource = await new DataSource({ ...options, entities }).initialize();
  return { dataSource, close: () => dataSource.destroy() };
}

/** Null when no service runs, or a file from an earlier one names a database that is gone. */
async function connectToRunning(wanted: Wanted): Promise<OpenDatabase | null> {
  const url = await readFile(join(wanted.config.dataDir, 'database-url'), 'utf8').catch(() => '');
  if (url.trim() === '') return null;
  return connect(wanted, url.trim()).catch((error: Error) => {
    wanted.log.debug('the database of the running service does not answer', { reason: error.message });
    return null;
  });
}

async function startOwn(wanted: Wanted, directory: Awaited<ReturnType<typeof acquireDataDir>>): Promise<OpenDatabase> {
  const { config, log } = wanted;
  try {
    const postgres = await EmbeddedPostgres.start({
      dataDir: config.dataDir,
      log: (event, fields) => log.debug(event, fields),
    });
    const connected = await connect(wanted, postgres.url).catch(async (error: unknown) => {
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
