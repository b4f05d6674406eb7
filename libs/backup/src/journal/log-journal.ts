import { newId } from '#libs/contracts';
import type { StoredContents } from '#libs/emails';
import { LocalNotifications, Poller, type Log } from '#libs/kernel';
import { Lease, type Database, type Worker } from '#libs/persistence';
import { frames, type Appender, type ObjectStore } from '#libs/storage';
import { CONFIG_TABLES, jsonRows, logFolder, type ConfigTable, type JsonRow, type LogRecord } from './log-frame.js';

/** Together with the sequencer, an event is in the journal within a second. */
const POLL_MS = 500;
const PAUSE_MS = 200;
/** Batches of the log in one record, of about 64 events each. */
const BATCHES = 32;
/** Bodies of one record, unless one is larger. */
const BODY_BYTES = 8 * 1024 * 1024;
/** See `AttemptJournal`. */
const FILE_MS = 3_600_000;
const FILE_BYTES = 64 * 1024 * 1024;
/** Keys of requests may commit later than they are dated: usually by less than a second, rarely by up to half a minute. */
const KEYS_OVERLAP_S = { usual: 2, rare: 30 };
const RARE_KEYS_MS = 10_000;
const KNOWN_ROWS = 50_000;

interface Series {
  series: string;
  position: number;
}

interface Batch {
  first: number;
  count: number;
  row: { moved_at: string; key: string[]; sequence: number[]; type: string[]; data: { id?: string }[] } & JsonRow;
}

interface Parts {
  database: Database;
  contents: StoredContents;
  worker: Worker;
  store: ObjectStore;
  log: Log;
}

/**
 * The part of the delivery journal that says what happened: it follows the event log and copies the events with the emails,
 * recipients and attempts that they are about, and the bodies of accepted emails. One process of several does it.
 */
export class LogJournal {
  private readonly lease: Lease;
  private readonly poll: Poller;
  private at: Series | undefined;
  private file: { appender: Appender; openedAt: number; bytes: number } | undefined;
  private files = 0;
  private movedAt = '-infinity';
  /** Ids of rows of configuration that are in the journal already. */
  private readonly known = new Set<string>();
  private knownKeys = new Set<string>();
  /** Of `performance.now()`: the last look for keys, and the last one for those that committed late. */
  private keysAt = { usual: -Infinity, rare: -Infinity };

  constructor(
    private readonly parts: Parts,
    notifications: LocalNotifications,
  ) {
    const { database, worker, log } = parts;
    this.lease = new Lease(database, worker, 'delivery journal');
    this.poll = new Poller(
      { name: 'delivery journal', round: () => this.round(), pollMs: POLL_MS, minPauseMs: PAUSE_MS },
      log,
    );
    notifications.on('log', () => this.poll.wake());
  }

  start(): void {
    this.poll.start();
  }

  /** Writes what is left. */
  async stop(): Promise<void> {
    await this.poll.stop();
    if (this.lease.isHeld) await this.round().catch(() => undefined);
    await this.closeFile();
    await this.lease.release();
    this.parts.store.close();
  }

  private async round(): Promise<boolean> {
    if (!this.lease.isHeld) {
      this.at = undefined;
      await this.closeFile();
      if (!(await this.lease.take())) return false;
    }
    this.at ??= await this.begin();
    const batches = await this.read(this.at.position);
    const last = batches.at(-1);
    if (last === undefined) return false;
    try {
      for (const record of await this.bodiesOf(batches)) await this.append(record);
      const to = last.first + last.count - 1;
      await this.append(await this.recordOf(batches, to));
      await this.parts.database.query('UPDATE journal_series SET position = $2 WHERE series = $1', [
        this.at.series,
        to,
      ]);
      this.at.position = to;
      this.movedAt = last.row.moved_at;
    } catch (error) {
      // The next file begins with a complete record.
      await this.closeFile();
      throw error;
    }
    return batches.length === BATCHES;
  }

  /** Continues the series of this place, or begins one after all events that exist. */
  private async begin(): Promise<Series> {
    const { database, store } = this.parts;
    this.known.clear();
    return database.transaction(async (tx) => {
      const { rows } = await tx.query<{ series: string; position: string }>(
        'SELECT series, position FROM journal_series WHERE place = $1 FOR UPDATE',
        [store.place],
      );
      if (rows.length > 0) return { series: rows[0].series, position: Number(rows[0].position) };
      await tx.query('DELETE FROM journal_series');
      const series = newId('log');
      const { rows: made } = await tx.query<{ position: string }>(
        `INSERT INTO journal_series (series, place, position) SELECT $1, $2, position FROM event_log_head RETURNING position`,
        [series, store.place],
      );
      return { series, position: Number(made[0].position) };
    });
  }

  private async read(after: number): Promise<Batch[]> {
    const { rows } = await this.parts.database.query<{ first: string; count: number; row: Batch['row'] }>(
      `SELECT first_position AS first, count, row_to_json(t) AS row FROM event_log t
        WHERE moved_at >= $2 AND (first_position + count) > $1::bigint + 1 ORDER BY (first_position + count) LIMIT ${BATCHES}`,
      [after, this.movedAt],
    );
    return rows.map(({ first, count, row }) => ({ first: Number(first), count, row }));
  }

  /** Bodies of emails that these events accept, in records of bounded size. */
  private async bodiesOf(batches: readonly Batch[]): Promise<LogRecord[]> {
    const ids = [...new Set(batches.flatMap(({ row }) => row.key.filter((_, i) => isAcceptance(row, i))))];
    if (ids.length === 0) return [];
    const { rows } = await this.parts.database.query<{ id: string; size: number }>(
      'SELECT id, size FROM emails WHERE id = ANY ($1)',
      [ids],
    );
    const groups: string[][] = [];
    let bytes = Infinity;
    for (const { id, size } of rows) {
      bytes += size;
      if (bytes > BODY_BYTES) [groups[groups.length], bytes] = [[], size];
      groups[groups.length - 1].push(id);
    }
    const records: LogRecord[] = [];
    for (const group of groups) {
      const contents = await this.parts.contents.ofEmails(group);
      const encoded = contents.map(({ body, ...rest }) => ({ ...rest, body: body.toString('base64') }));
      records.push({ kind: 'contents', contents: encoded });
    }
    return records;
  }

  private async recordOf(batches: readonly Batch[], to: number): Promise<LogRecord> {
    const { database } = this.parts;
    const from = batches[0].first;
    const ids = [...new Set(batches.flatMap(({ row }) => row.key.filter((key) => key.startsWith('em_'))))];
    const emails = await jsonRows(database, 'emails', ['id = ANY ($1)', ids]);
    const { added, removed } = suppressionsOf(batches);
    return {
      kind: 'events',
      ...{ from, to },
      log: batches.map(({ row }) => row),
      accounts: await jsonRows(database, 'event_log_accounts', [
        'moved_at >= $3 AND first_position >= $1 AND first_position <= $2',
        from,
        to,
        batches[0].row.moved_at,
      ]),
      state: {
        emails,
        recipients: await jsonRows(database, 'recipients', ['email_id = ANY ($1)', ids]),
        email_tags: await this.tagsOf(emails),
        attempts: await jsonRows(database, 'attempts', ['email_id = ANY ($1)', ids]),
        suppressions: added.length === 0 ? [] : await jsonRows(database, 'suppressions', ['id = ANY ($1)', added]),
      },
      config: await this.configOf(emails),
      removed,
      keys: await this.newKeys(),
    };
  }

  /** The tags follow from the email, whose row has them as an object. */
  private async tagsOf(emails: readonly JsonRow[]): Promise<JsonRow[]> {
    return emails.flatMap(({ id, account_id, tags }) =>
      Object.entries(tags as Record<string, string>).map(([key, value]) => ({ account_id, key, value, email_id: id })),
    );
  }

  /** Rows that the emails need, once per process. */
  private async configOf(emails: readonly JsonRow[]): Promise<Record<ConfigTable, JsonRow[]>> {
    if (this.known.size > KNOWN_ROWS) this.known.clear();
    const fresh = (column: string) => {
      const ids = emails.map((row) => row[column]).filter((id): id is string => typeof id === 'string');
      return [...new Set(ids)].filter((id) => !this.known.has(id));
    };
    const [accounts, domains, keys] = [fresh('account_id'), fresh('domain_id'), fresh('api_key_id')];
    const idsOf = { accounts, domains, domain_keys: domains, api_keys: keys };
    const config = { accounts: [], domains: [], domain_keys: [], api_keys: [] } as Record<ConfigTable, JsonRow[]>;
    for (const table of CONFIG_TABLES) {
      const column = table === 'domain_keys' ? 'domain_id' : 'id';
      if (idsOf[table].length > 0)
        config[table] = await jsonRows(this.parts.database, table, [`${column} = ANY ($1)`, idsOf[table]]);
    }
    for (const id of [...accounts, ...domains, ...keys]) this.known.add(id);
    return config;
  }

  /** A client that repeats a request after a restore gets the same answer. */
  private async newKeys(): Promise<JsonRow[]> {
    const now = performance.now();
    const isRare = now - this.keysAt.rare > RARE_KEYS_MS;
    const since = Math.min((now - this.keysAt.usual) / 1_000, KEYS_OVERLAP_S.rare);
    const seconds = isRare ? KEYS_OVERLAP_S.rare : since + KEYS_OVERLAP_S.usual;
    this.keysAt = { usual: now, rare: isRare ? now : this.keysAt.rare };
    const rows = await jsonRows(this.parts.database, 'idempotency_keys', [
      'created_at > now() - make_interval(secs => $1)',
      seconds,
    ]);
    const nameOf = ({ scope, key }: JsonRow) => `${String(scope)} ${String(key)}`;
    const fresh = rows.filter((row) => !this.knownKeys.has(nameOf(row)));
    if (isRare) this.knownKeys = new Set(rows.map(nameOf));
    else for (const row of fresh) this.knownKeys.add(nameOf(row));
    return fresh;
  }

  private async append(record: LogRecord): Promise<void> {
    const bytes = await frames.encode(JSON.stringify(record));
    const appender = await this.currentFile();
    // A process that was frozen must not write behind the one that took over.
    this.lease.held();
    await appender.append(bytes);
    if (this.file !== undefined) this.file.bytes += bytes.length;
  }

  private async currentFile(): Promise<Appender> {
    const now = Date.now();
    if (this.file !== undefined && now - this.file.openedAt < FILE_MS && this.file.bytes < FILE_BYTES)
      return this.file.appender;
    await this.closeFile();
    this.files += 1;
    const { series } = this.at as Series;
    const time = new Date(now).toISOString().replace(/[-:.]/g, '');
    const name = `${logFolder(series)}${time}-${this.lease.held().fence}-${this.files}`;
    const appender = await this.parts.store.appender(name);
    this.file = { appender, openedAt: now, bytes: 0 };
    return appender;
  }

  private async closeFile(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    await file?.appender.close().catch(() => undefined);
  }
}

/**
 * Accepts an email; or says that a scheduled one, which then is twice in the journal, is due, and that a claim found a
 * suppressed recipient.
 */
const isAcceptance = ({ type }: Batch['row'], i: number): boolean =>
  type[i] === 'email.queued' || type[i] === 'email.scheduled' || type[i] === 'email.suppressed';

function suppressionsOf(batches: readonly Batch[]): { added: string[]; removed: string[] } {
  const [added, removed] = [new Set<string>(), new Set<string>()];
  for (const { row } of batches)
    row.type.forEach((type, i) => {
      const { id } = row.data[i];
      if (id === undefined || !type.startsWith('suppression.')) return;
      (type === 'suppression.added' ? added : removed).add(id);
      (type === 'suppression.added' ? removed : added).delete(id);
    });
  return { added: [...added], removed: [...removed] };
}
