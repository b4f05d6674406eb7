import { StoredContents } from '#libs/emails';
import { Config, Log, Metrics, Poller, Shutdown } from '#libs/kernel';
import { Database, Lease, Worker } from '#libs/persistence';
import { openStore, type ObjectStore } from '#libs/storage';
import { Gauge } from 'prom-client';
import { createBackup } from './create-backup.js';
import { generations, readManifest } from './manifest.js';
import { pruneGenerations } from './prune-generations.js';

const POLL_MS = 30_000;
/** After a backup that failed. */
const RETRY_MS = 600_000;

interface Parts {
  config: Config;
  contents: StoredContents;
  database: Database;
  log: Log;
  metrics: Metrics;
  shutdown: Shutdown;
  worker: Worker;
}

/** Makes a backup to BACKUP_TO every BACKUP_EVERY, in one process of several, and deletes old ones. */
export class ScheduledBackups {
  private readonly lease: Lease;
  private readonly poll: Poller;
  /** Of `Date.now()`; the last one that is known. */
  private finishedAt: number | null = null;
  private failedAt = -Infinity;

  constructor(
    private readonly parts: Parts,
    private readonly options: { to: string; every: number; version: string },
  ) {
    const { database, log, metrics, shutdown, worker } = parts;
    this.lease = new Lease(database, worker, 'backup');
    this.poll = new Poller({ name: 'backups', round: () => this.round(), pollMs: POLL_MS }, log);
    const newest = () => this.finishedAt;
    new Gauge({
      name: 'postloft_backup_age_seconds',
      help: 'Time since the newest complete backup of BACKUP_TO, as far as this process knows; absent before.',
      registers: [metrics.registry],
      collect() {
        this.reset();
        const at = newest();
        if (at !== null) this.set((Date.now() - at) / 1_000);
      },
    });
    // A backup in progress is abandoned: it has no manifest and is deleted later.
    shutdown.on('work', 'backups', () => void this.poll.stop());
  }

  start(): void {
    this.poll.start();
  }

  private async round(): Promise<boolean> {
    const { config, log } = this.parts;
    if (Date.now() - this.failedAt < RETRY_MS || (!this.lease.isHeld && !(await this.lease.take()))) return false;
    const { S3_ENDPOINT: endpoint, S3_REGION: region, BACKUP_JOURNAL, BACKUP_KEEP: keep } = config.settings;
    const server = { endpoint, region };
    const store = await openStore(this.options.to, server);
    const journal = BACKUP_JOURNAL === undefined ? null : await openStore(BACKUP_JOURNAL, server);
    try {
      this.finishedAt = await newestAt(store);
      if (this.finishedAt !== null && Date.now() - this.finishedAt < this.options.every) return false;
      const { generation, manifest } = await createBackup({ ...this.parts, version: this.options.version }, store);
      this.finishedAt = Date.parse(manifest.started_at);
      log.info('backup made', { generation, emails: manifest.counts.emails });
      const deleted = await pruneGenerations(store, { keep, journal });
      if (deleted.length > 0) log.info('old backups deleted', { generations: deleted });
    } catch (error) {
      this.failedAt = Date.now();
      log.error('backup failed', { reason: (error as Error).message });
    } finally {
      store.close();
      journal?.close();
    }
    return false;
  }
}

/** The time at which the newest complete backup began. */
async function newestAt(store: ObjectStore): Promise<number | null> {
  for (const name of (await generations(store)).reverse()) {
    const manifest = await readManifest(store, `${name}/`);
    if (manifest !== null) return Date.parse(manifest.started_at);
  }
  return null;
}
