import { readFileSync } from 'node:fs';
import { createBackup, restoreBackup, verifyBackup, type Restored } from '#libs/backup';
import { loadConfig, Log, VERSION, type Config } from '#libs/kernel';
import { openStore, parsePlace, type ObjectStore } from '#libs/storage';
import { openAdministration, type Administration } from './administration.js';
import { UsageError, type Command, type CommandInput } from './command.js';
import { Progress } from './progress.js';

const PASSPHRASE_OPTION = { 'passphrase-file': { type: 'string' } } as const;
const PASSPHRASE_HELP = 'a passphrase of at least 8 characters, from --passphrase-file or BACKUP_PASSPHRASE';
const SHORTEST_PASSPHRASE = 8;

const create: Command = {
  name: 'backup',
  positionals: ['target'],
  options: { 'with-master-key': { type: 'boolean' }, ...PASSPHRASE_OPTION },
  synopsis: '[--with-master-key [--passphrase-file FILE]]',
  summary: `Makes a backup in a folder of its own below TARGET, a folder or s3://bucket/prefix, while the service runs. --with-master-key adds the master key, encrypted with ${PASSPHRASE_HELP}.`,
  prepare: (input) => {
    const target = placeOf(input, 'TARGET');
    const withKey = input.options['with-master-key'] === true;
    const given = passphraseFile(input);
    if (given !== undefined && !withKey) throw new UsageError('--passphrase-file needs --with-master-key.');
    const passphrase = withKey ? requiredPassphrase(given ?? loadConfig('cli').settings.BACKUP_PASSPHRASE) : undefined;
    return async (admin) => {
      const store = await storeAt(target, admin.config);
      const progress = new Progress();
      try {
        const parts = { database: admin.database, config: admin.config, log: admin.log, version: VERSION };
        const contents = await admin.contents();
        const { generation, manifest } = await createBackup({ ...parts, contents }, store, {
          passphrase,
          onProgress: progress.show,
        });
        const { counts, started_at, finished_at } = manifest;
        const bytes = totalBytes(manifest);
        const json = { target, generation, ...counts, bytes, started_at, finished_at, master_key: withKey };
        const key = withKey
          ? ''
          : '\nThe master key is not in it: keep it elsewhere, nothing can be restored without it.';
        return { json, text: `Backup ${generation} in ${target}: ${describe(counts)}, ${megabytes(bytes)}.${key}` };
      } finally {
        progress.end();
        store.close();
      }
    };
  },
};

const verify: Command = {
  name: 'backup verify',
  positionals: ['source'],
  options: {},
  summary: 'Reads every file of a backup, or of the newest one below SOURCE, and compares it with its SHA-256.',
  prepareWithSettings: (input) => {
    const source = placeOf(input, 'SOURCE');
    return async (config) => {
      const store = await storeAt(source, config);
      const progress = new Progress();
      try {
        const { folder, manifest } = await verifyBackup(store, progress.show);
        const { counts, started_at, program } = manifest;
        const bytes = totalBytes(manifest);
        const json = { source, generation: folder.replace('/', ''), ...counts, bytes, started_at, program };
        return { json, text: `The backup of ${started_at} is complete: ${describe(counts)}, ${megabytes(bytes)}.` };
      } finally {
        progress.end();
        store.close();
      }
    };
  },
};

const restore: Command = {
  name: 'restore',
  positionals: ['source'],
  options: PASSPHRASE_OPTION,
  synopsis: '[--passphrase-file FILE]',
  summary:
    'Restores a backup, or the newest one below SOURCE, into an empty DATA_DIR or database, and applies the delivery journal of BACKUP_JOURNAL. Recipients that may have got their email already are held.',
  prepareWithSettings: (input) => {
    const source = placeOf(input, 'SOURCE');
    const given = passphraseFile(input);
    return async (config) => {
      process.umask(0o077);
      const store = await storeAt(source, config);
      const progress = new Progress();
      try {
        const restored = await restoreBackup(config, Log.quiet(), {
          store,
          passphrase: given ?? config.settings.BACKUP_PASSPHRASE,
          onStep: progress.say,
          onProgress: progress.show,
        });
        progress.say('Rebuilding statistics.');
        const statistics = await restoreStatistics(config, restored);
        const json = { ...summaryOf(restored), statistics };
        return { json, text: textOf(restored, statistics) };
      } finally {
        progress.end();
        store.close();
      }
    };
  },
};

export const BACKUP_COMMANDS: readonly Command[] = [create, verify, restore];

/** What the log does not have comes from the files of the backup, the rest from the log. */
async function restoreStatistics(config: Config, { statistics }: Restored): Promise<string> {
  const admin = await openAdministration(config, Log.quiet());
  try {
    return await rebuilt(admin, config.settings.CLICKHOUSE_URL === undefined ? statistics : null);
  } catch (error) {
    return `could not be rebuilt: ${(error as Error).message} Run "stats rebuild" later`;
  } finally {
    await admin.close();
  }
}

async function rebuilt(admin: Administration, folder: string | null): Promise<string> {
  const read = folder === null ? null : await admin.statistics.recoverBackup(folder);
  if (await admin.statistics.isLogEmpty()) return read === null ? 'none' : 'as in the backup';
  const { events, since } = await admin.statistics.rebuild();
  const older = since === null ? '' : `; older ones ${read === null ? 'were not in the backup' : 'as in the backup'}`;
  return `rebuilt from ${events} events${older}`;
}

function summaryOf({ generation: { manifest }, journal, held }: Restored): Record<string, unknown> {
  return { started_at: manifest.started_at, program: manifest.program, ...manifest.counts, journal, held };
}

function textOf({ generation, journal, held }: Restored, statistics: string): string {
  const { counts, started_at } = generation.manifest;
  const sum = held.in_flight + held.not_covered;
  return [
    `Restored the backup of ${started_at}: ${describe(counts)}.`,
    journal.events === 0 && !journal.isCovered
      ? 'There is no delivery journal for it.'
      : `From the delivery journal: ${journal.events} events, and ${journal.emails} emails that were accepted since.`,
    ...(journal.isCovered || journal.events === 0 ? [] : ['Parts of the delivery journal are missing.']),
    `Statistics: ${statistics}.`,
    sum === 0
      ? 'No recipient is held.'
      : `Recipients that may have got their email already: ${sum}. They are held: see "queue held".`,
  ].join('\n');
}

const describe = (counts: { accounts: number; emails: number }): string =>
  `${counts.emails} emails of ${counts.accounts} accounts`;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function totalBytes(manifest: Restored['generation']['manifest']): number {
  const files = [...manifest.database.tables.flatMap((table) => table.files), ...manifest.statistics.files];
  return [...files, ...manifest.contents].reduce((sum, { bytes }) => sum + bytes, 0);
}

/** @throws UsageError */
function placeOf({ positionals: [place] }: CommandInput, name: string): string {
  try {
    parsePlace(place);
    return place;
  } catch (error) {
    throw new UsageError(`${name} ${(error as Error).message}; it is "${place}".`);
  }
}

function storeAt(place: string, { settings }: Config): Promise<ObjectStore> {
  return openStore(place, { endpoint: settings.S3_ENDPOINT, region: settings.S3_REGION });
}

/** The first line of the file. @throws UsageError */
function passphraseFile({ options }: CommandInput): string | undefined {
  const file = options['passphrase-file'];
  if (typeof file !== 'string') return undefined;
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/, 1)[0];
  } catch (error) {
    throw new UsageError(`--passphrase-file cannot be read: ${(error as Error).message}.`);
  }
}

function requiredPassphrase(passphrase: string | undefined): string {
  if (passphrase !== undefined && passphrase.length >= SHORTEST_PASSPHRASE) return passphrase;
  throw new UsageError(`--with-master-key needs ${PASSPHRASE_HELP}.`);
}
