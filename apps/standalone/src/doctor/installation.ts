import { Log, type Config } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, type OpenDatabase } from '../cli/open-database.js';

/** Null: there is no database yet, and a doctor does not make one. */
export type OpenedDatabase = Database | null;

/** The database of this installation, as it is: nothing is migrated. */
export class Installation {
  private opening: Promise<OpenDatabase> | undefined;

  constructor(private readonly config: Config) {}

  /** @throws when it cannot be reached */
  async open(): Promise<OpenedDatabase> {
    if (this.config.settings.DATABASE_URL === undefined && !this.isMade()) return null;
    // What goes wrong is a finding, and told as one.
    this.opening ??= openDatabase({ config: this.config, log: Log.quiet(), entities: [] });
    return new Database((await this.opening).dataSource);
  }

  /** A database that was started for this look is stopped again. */
  async close(): Promise<void> {
    const opened = await this.opening?.catch(() => undefined);
    await opened?.close().catch(() => undefined);
  }

  private isMade(): boolean {
    return ['postgres', 'database-url'].some((name) => existsSync(join(this.config.dataDir, name)));
  }
}
