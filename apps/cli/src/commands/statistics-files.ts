import { rm } from 'node:fs/promises';
import { LiveLog, StatisticsRecord } from '#libs/bus';
import { LocalNotifications, type Config, type Log } from '#libs/kernel';
import { Worker, type Database } from '#libs/persistence';
import { StatsStore, type Rebuilt, type Recovered } from '#libs/stats';

/** Log lines of a long rebuild. */
const PROGRESS_EVENTS = 500_000;

export interface RecoveredFolder extends Recovered {
  folder: string;
}

export interface RecoveredStatistics {
  folders: RecoveredFolder[];
  /** Days that still lack events. */
  incomplete: string[];
}

/** Work on the files of statistics, for which no program may write to them. */
export class StatisticsFiles {
  private readonly record: StatisticsRecord;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly log: Log,
  ) {
    this.record = new StatisticsRecord(database);
  }

  rebuild(): Promise<Rebuilt> {
    let shown = 0;
    return this.withStore(async (store) => {
      const rebuilt = await store.rebuild(this.events(), (position, head) => {
        if (position < shown + PROGRESS_EVENTS) return;
        shown = position;
        this.log.warn('statistics are being rebuilt', { position, head });
      });
      await this.record.forget(rebuilt.since === null ? null : rebuilt.since.toISOString().slice(0, 10));
      return rebuilt;
    });
  }

  /** @param from a folder with files of a store; all that were set aside unless given */
  recover(from?: string): Promise<RecoveredStatistics> {
    if (this.config.settings.CLICKHOUSE_URL !== undefined)
      throw new Error('Statistics are in the ClickHouse server of CLICKHOUSE_URL; restore them from its backup.');
    return this.withStore(async (store) => {
      await store.ready();
      const recorded = await this.record.days();
      const folders: RecoveredFolder[] = [];
      for (const folder of from === undefined ? await store.setAsideFolders() : [from])
        folders.push({ folder, ...(await store.recoverFrom(folder, recorded)) });
      const verdicts = await store.verify({
        log: this.events(),
        confirmedUpTo: this.config.settings.KAFKA_BROKERS === undefined ? 0 : null,
        recorded,
        onIncomplete: (days) => this.record.set(days),
      });
      await this.record.set(verdicts);
      return { folders, incomplete: (await this.record.incompleteDays()).map(({ day }) => day) };
    });
  }

  /** Reads the files of a backup, and deletes them. A new store has nothing that they could add to twice. */
  async recoverBackup(folder: string): Promise<RecoveredStatistics> {
    const recovered = await this.recover(folder);
    await rm(folder, { recursive: true, force: true });
    return recovered;
  }

  async isLogEmpty(): Promise<boolean> {
    return (await this.events().oldest()) === 0;
  }

  private async withStore<T>(work: (store: StatsStore) => Promise<T>): Promise<T> {
    const writers = await Worker.countAlive(this.database, ['standalone', 'analytics']);
    if (writers > 0)
      throw new Error(
        'A program that writes statistics is running. Stop standalone and analytics, wait 20 seconds, and repeat the command.',
      );
    const store = new StatsStore(this.config, this.log);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  /** Only reads, so that nothing listens for new events. */
  private events(): LiveLog {
    const idle = { start: () => undefined } as unknown as ConstructorParameters<typeof LiveLog>[1];
    return new LiveLog(this.database, idle, new LocalNotifications());
  }
}
