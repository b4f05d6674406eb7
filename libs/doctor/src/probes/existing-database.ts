import { Log, type Config } from '#libs/kernel';
import { Database, openDatabase, type OpenDatabase } from '#libs/persistence';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Null: no database has been created yet. */
export type OpenedDatabase = Database | null;

/** The database of this installation. It is neither created nor migrated. */
export class ExistingDatabase {
  private opening: Promise<OpenDatabase> | undefined;

  constructor(private readonly config: Config) {}

  /** @throws when it cannot be reached */
  async open(): Promise<OpenedDatabase> {
    if (this.config.settings.DATABASE_URL === undefined && !this.isCreated()) return null;
    // Quiet, because errors become results of the checks.
    this.opening ??= openDatabase({ config: this.config, log: Log.quiet(), entities: [] });
    return new Database((await this.opening).dataSource);
  }

  /** Stops a database server that was started for the doctor. */
  async close(): Promise<void> {
    const opened = await this.opening?.catch(() => undefined);
    await opened?.close().catch(() => undefined);
  }

  private isCreated(): boolean {
    return ['postgres', 'database-url'].some((name) => existsSync(join(this.config.dataDir, name)));
  }
}
