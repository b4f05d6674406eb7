import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificateFindings, ConfigError, tlsFiles, SecretBox, type Config } from '#libs/kernel';
import pg from 'pg';
import { masterKeyFile, readMasterKeys } from './master-key.js';
import { masterKeyProblem } from './master-key-check.js';
import { databaseUrlFile } from './open-database.js';
import { queryableOf } from '../connection/database.js';
import { hostResources } from '../host-resources.js';
import { requireServer } from './server-requirements.js';

const CONNECT_MS = 2_000;
const QUERY_MS = 2_000;
/** Characters of the check value in hex; enough to compare two by eye. */
const SHOWN_CHARACTERS = 16;

/**
 * The output of `--check-config`: every setting with masked secrets. The master key is shown by where it comes from and by
 * its check value, and compared with the database where one is running.
 * @throws ConfigError when the key is not the one of that database
 */
export async function describeConfig(config: Config): Promise<Record<string, unknown>> {
  const keys = await readMasterKeys(config);
  const key = keys.at(0) ?? null;
  const relation = await compareWithDatabase(keys, config);
  return { ...config.describeAll(), MASTER_KEY: `(${[...describeKey(key, config), relation].join('; ')})` };
}

/** What is wrong with the certificates and the disk that the settings name, judged as by the doctor and the running service. */
export async function hostWarnings(config: Config): Promise<string[]> {
  const hosts = {
    HTTP_TLS: new URL(config.settings.PUBLIC_URL).hostname,
    SMTP_TLS: `smtp.${config.settings.SERVICE_DOMAIN}`,
  };
  const certificates = (['HTTP_TLS', 'SMTP_TLS'] as const).flatMap((setting) => {
    const files = tlsFiles.read(config, setting);
    const found = files === null ? [] : certificateFindings(files, { setting, host: hosts[setting] });
    return found.map(({ message }) => `${setting}_CERT: ${message}`);
  });
  const host = await hostResources(config.dataDir).catch(() => null);
  if (host === null || host.disk.level === 'ok') return certificates;
  const percent = Math.floor((100 * host.disk.freeBytes) / host.disk.totalBytes);
  return [...certificates, `DATA_DIR: ${percent} % of the disk are free.`];
}

function describeKey(key: Buffer | null, { dataDir }: Config): string[] {
  const file = masterKeyFile(dataDir);
  if (key === null)
    return [existsSync(join(dataDir, 'postgres')) ? `missing, although ${dataDir} has a database` : 'none yet'];
  const check = new SecretBox(key).keyCheck.toString('hex').slice(0, SHOWN_CHARACTERS);
  return [existsSync(file) ? `from ${file}` : 'set', `check value ${check}`];
}

async function compareWithDatabase(keys: readonly Buffer[], config: Config): Promise<string> {
  const url = config.settings.DATABASE_URL ?? (await urlOfRunning(config));
  if (url === null) return 'not compared: no database is running';
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await requireServer(async (sql) => (await client.query(sql)).rows);
    const { rows } = await client.query<{ known: boolean }>(`SELECT to_regclass('installation') IS NOT NULL AS known`);
    if (!rows[0].known) return 'not compared: the database has not been prepared by this version';
    const problem = await masterKeyProblem(queryableOf(client), { keys, config });
    if (problem !== null) throw new ConfigError(`${problem.message} ${problem.fix}`);
    return keys.length === 0 ? 'the database holds no data' : 'matches the database';
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { message, code } = error as NodeJS.ErrnoException;
    return `not compared: ${(message || code) ?? 'the database does not answer'}`;
  } finally {
    // Does not wait for a server that may not answer.
    void client.end().catch(() => undefined);
  }
}

/** Of the embedded database, while a service runs on DATA_DIR. */
async function urlOfRunning({ dataDir }: Config): Promise<string | null> {
  const text = await readFile(databaseUrlFile(dataDir), 'utf8').catch(() => '');
  return text.trim() === '' ? null : text.trim();
}
