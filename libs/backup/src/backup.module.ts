import { Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import { EmailsModule, StoredContents } from '#libs/emails';
import { Config, LocalNotifications, Log, Metrics, Shutdown } from '#libs/kernel';
import { Database, Worker } from '#libs/persistence';
import { openStore } from '#libs/storage';
import { LogJournal } from './journal/log-journal.js';
import { ScheduledBackups } from './scheduled-backups.js';

/** Starts what the settings ask for. */
class BackupJobs implements OnApplicationBootstrap {
  constructor(
    private readonly parts: ConstructorParameters<typeof ScheduledBackups>[0],
    private readonly notifications: LocalNotifications,
    private readonly version: string,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { config, shutdown } = this.parts;
    const { BACKUP_TO: to, BACKUP_EVERY: every, BACKUP_JOURNAL } = config.settings;
    if (BACKUP_JOURNAL === undefined) await this.endSeries();
    else {
      const { S3_ENDPOINT: endpoint, S3_REGION: region } = config.settings;
      const store = await openStore(BACKUP_JOURNAL, { endpoint, region });
      const journal = new LogJournal({ ...this.parts, store }, this.notifications);
      shutdown.on('flush', 'delivery journal', () => journal.stop());
      journal.start();
    }
    if (to !== undefined && every !== undefined)
      new ScheduledBackups(this.parts, { to, every, version: this.version }).start();
  }

  /** Claims of this process are not recorded, so what was recorded before is no longer continuous. */
  private async endSeries(): Promise<void> {
    await this.parts.database.query('DELETE FROM journal_series').catch((error: Error) => {
      this.parts.log.warn('the series of the delivery journal could not be ended', { reason: error.message });
    });
  }
}

/** Scheduled backups and the delivery journal, for the program that delivers. */
@Module({})
export class BackupModule {
  static forRoot(version: string): DynamicModule {
    return {
      module: BackupModule,
      imports: [EmailsModule],
      providers: [
        {
          provide: BackupJobs,
          inject: [Config, StoredContents, Database, Log, Metrics, Shutdown, Worker, LocalNotifications],
          useFactory: (
            ...[config, contents, database, log, metrics, shutdown, worker, notifications]: [
              ...[Config, StoredContents, Database, Log, Metrics, Shutdown, Worker],
              LocalNotifications,
            ]
          ) => new BackupJobs({ config, contents, database, log, metrics, shutdown, worker }, notifications, version),
        },
      ],
    };
  }
}
