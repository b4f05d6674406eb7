import { RowWriter, type Queryable } from '#libs/persistence';
import { ATTEMPTS_FOLDER, LastAttempts, type AttemptRecord } from '#libs/queue';
import { frames, type ObjectStore } from '#libs/storage';
import { CONFIG_TABLES, logFolder, STATE_TABLES, type LogRecord } from './log-frame.js';

export interface AppliedJournal {
  /** Events that the snapshot did not have. */
  events: number;
  /** Accepted emails that the snapshot did not have. */
  emails: number;
  /** False: some events after the snapshot are missing, or there is no journal. */
  isCovered: boolean;
  attempts: LastAttempts;
}

interface JournalOf {
  /** The series of the snapshot. */
  series: string;
  /** The position of its newest event. */
  position: number;
}

/**
 * Brings a database that has the rows of a snapshot to the end of the journal, in the transaction of the restore.
 * @throws an error with a sentence if a file of the journal is damaged
 */
export async function applyJournal(
  tx: Queryable,
  store: ObjectStore,
  { series, position }: JournalOf,
): Promise<AppliedJournal> {
  const journal = new JournalWriter(tx, position);
  const files = await store.list(logFolder(series));
  for (const { name } of files) for await (const record of records<LogRecord>(store, name)) await journal.write(record);
  await journal.end();
  const attempts = new LastAttempts();
  for (const { name } of await store.list(ATTEMPTS_FOLDER))
    for await (const record of records<AttemptRecord>(store, name)) attempts.add(record);
  return { ...journal.counts, isCovered: files.length > 0 && journal.isContinuous, attempts };
}

async function* records<T>(store: ObjectStore, name: string): AsyncGenerator<T> {
  const bytes = await store.get(name);
  try {
    for await (const text of frames.decode(bytes)) yield JSON.parse(text) as T;
  } catch (error) {
    throw new Error(`The file ${name} of ${store.place} ${(error as Error).message}.`, { cause: error });
  }
}

type EventRecord = Extract<LogRecord, { kind: 'events' }>;

class JournalWriter {
  isContinuous = true;
  private events = 0;
  private emails = 0;
  private readonly rows: RowWriter;
  /** Of the record of events that follows. */
  private contents: Extract<LogRecord, { kind: 'contents' }>['contents'] = [];

  constructor(
    private readonly tx: Queryable,
    private position: number,
  ) {
    this.rows = new RowWriter(tx);
  }

  get counts(): Pick<AppliedJournal, 'events' | 'emails'> {
    return { events: this.events, emails: this.emails };
  }

  async write(record: LogRecord): Promise<void> {
    if (record.kind === 'contents') this.contents.push(...record.contents);
    else {
      // The snapshot has what earlier records say.
      if (record.to > this.position) await this.writeEvents(record);
      this.contents = [];
    }
  }

  /** The number of the newest event. */
  async end(): Promise<void> {
    await this.tx.query(
      `UPDATE event_log_head SET position = $1, moved_at = coalesce((SELECT max(moved_at) FROM event_log), moved_at)
        WHERE position < $1`,
      [this.position],
    );
  }

  private async writeEvents(record: EventRecord): Promise<void> {
    if (record.from > this.position + 1) this.isContinuous = false;
    for (const table of CONFIG_TABLES) await this.rows.add(table, record.config[table]);
    await this.forgetQueued(record);
    const isNew = ({ first_position: first }: Record<string, unknown>) => Number(first) > this.position;
    await this.rows.upsert('event_log', record.log.filter(isNew));
    await this.rows.upsert('event_log_accounts', record.accounts.filter(isNew));
    this.emails += await this.writeContents(record);
    for (const table of STATE_TABLES) await this.rows.upsert(table, record.state[table]);
    if (record.removed.length > 0)
      await this.tx.query('DELETE FROM suppressions WHERE id = ANY ($1)', [record.removed]);
    await this.rows.add('idempotency_keys', record.keys);
    this.events += record.to - this.position;
    this.position = record.to;
  }

  /** Events that wait in the outbox of the snapshot have been moved to the log since. */
  private async forgetQueued({ log }: EventRecord): Promise<void> {
    const ids = log.flatMap(({ event_id }) => event_id as string[]);
    await this.tx.query('DELETE FROM outbox WHERE event_id && $1::text[]', [ids]);
  }

  /** Bodies of emails that the snapshot does not have; returns their number. */
  private async writeContents({ state }: EventRecord): Promise<number> {
    const emails = new Set(state.emails.map(({ id }) => String(id)));
    const { rows } = await this.tx.query<{ id: string }>('SELECT id FROM emails WHERE id = ANY ($1)', [[...emails]]);
    for (const { id } of rows) emails.delete(id);
    const bodies = this.contents.filter(({ email_id }) => emails.has(email_id));
    await this.rows.upsert(
      'email_contents',
      bodies.map(({ email_id, format, body }) => ({
        ...{ email_id, format },
        body: `\\x${Buffer.from(body, 'base64').toString('hex')}`,
      })),
    );
    return emails.size;
  }
}
