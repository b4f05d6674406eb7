import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Database, Queryable } from '../connection/database.js';
import { MIGRATIONS_TABLE } from '../migrations/index.js';
import { copyOut } from './copy-streams.js';
import { tablesToDump, type OwnTable } from './own-tables.js';

const compress = promisify(gzip);

/** Rows that are compressed together, in bytes. */
const BLOCK_BYTES = 1024 * 1024;
/** Compressed bytes of a file, exceeded by at most one block. */
const FILE_BYTES = 16 * 1024 * 1024;
/** The fastest level: others halve the rate for a tenth of the size. */
const LEVEL = 1;
/** A block of this many milliseconds of processor time is followed by a pause, so that the server has the other part of a core. */
const OWN_SHARE = 0.6;

export interface DumpFile {
  name: string;
  bytes: number;
  /** In hexadecimal digits. */
  sha256: string;
}

export interface DumpedTable {
  name: string;
  columns: string[];
  rows: number;
  /** In the binary format of COPY, compressed, one behind the other. */
  files: DumpFile[];
}

export interface DatabaseDump {
  /** Names of the applied migrations. */
  schema: string[];
  /** Of the server. */
  version: string;
  tables: DumpedTable[];
  /** Partitions with their bounds as PostgreSQL shows them. */
  partitions: { table: string; name: string; bounds: string }[];
  /** The last values of sequences. */
  sequences: Record<string, string>;
  /** The time of the snapshot, by the clock of the database. */
  at: string;
}

export interface DumpOptions {
  /** Stores a file; resolves when it survives a crash. */
  put: (name: string, body: Buffer) => Promise<void>;
  /** Rows that are written, of about so many. */
  onProgress: (table: string, done: number, of: number) => void;
  /** Called in the transaction of the snapshot, before the tables are copied. */
  inSnapshot?: (tx: Queryable) => Promise<void>;
}

/**
 * Writes all rows of the service as of one moment, while programs run. Locks nothing but the definitions of tables: no
 * partition is dropped meanwhile. Compression and the server together use about one core.
 */
export async function dumpDatabase(database: Database, options: DumpOptions): Promise<DatabaseDump> {
  const tables = await tablesToDump(database);
  const session = await database.session();
  try {
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await session.query('SET LOCAL statement_timeout = 0');
    await session.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    // Before the snapshot is taken, as pg_dump does: what is locked then stays until the end.
    await session.query(`LOCK TABLE ${tables.map(({ name }) => quoted(name)).join(', ')} IN ACCESS SHARE MODE`);
    const described = await describe(session);
    await options.inSnapshot?.(session);
    const dumped: DumpedTable[] = [];
    const of = tables.reduce((sum, { rows }) => sum + rows, 0);
    let done = 0;
    for (const table of tables) {
      const writer = new TableWriter(table, options.put);
      const columns = table.columns.map(quoted).join(', ');
      await copyOut(
        session.client,
        `COPY (SELECT ${columns} FROM ${quoted(table.name)}) TO STDOUT (FORMAT binary)`,
        (row) => {
          const busy = writer.add(row);
          if (busy !== null) options.onProgress(table.name, done + writer.rows, of);
          return busy;
        },
      );
      dumped.push(await writer.end());
      done += writer.rows;
      options.onProgress(table.name, done, of);
    }
    // Sequences belong to no snapshot: read last, they are ahead of every row.
    return { ...described, tables: dumped, sequences: await sequences(session) };
  } finally {
    session.release();
  }
}

async function describe(db: Queryable): Promise<Omit<DatabaseDump, 'tables' | 'sequences'>> {
  const { rows: schema } = await db.query<{ name: string }>(`SELECT name FROM ${MIGRATIONS_TABLE} ORDER BY id`);
  const { rows: server } = await db.query<{ version: string; at: Date }>(
    `SELECT current_setting('server_version') AS version, now() AS at`,
  );
  const { rows: partitions } = await db.query<DatabaseDump['partitions'][number]>(
    `SELECT inhparent::regclass::text AS table, relname AS name, pg_get_expr(relpartbound, c.oid) AS bounds
       FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relispartition ORDER BY relname`,
  );
  const [{ version, at }] = server;
  return { schema: schema.map(({ name }) => name), version, partitions, at: at.toISOString() };
}

async function sequences(db: Queryable): Promise<Record<string, string>> {
  const { rows } = await db.query<{ name: string; value: string }>(
    `SELECT sequencename AS name, last_value::text AS value FROM pg_sequences
      WHERE schemaname = current_schema() AND last_value IS NOT NULL`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Compresses the rows of a table into files. Each message of the server is copied, because its memory is used again. */
class TableWriter {
  private messages = 0;
  private block: Buffer[] = [];
  private blockBytes = 0;
  private file: Buffer[] = [];
  private fileBytes = 0;
  private readonly files: DumpFile[] = [];
  private work: Promise<void> | undefined;

  constructor(
    private readonly table: OwnTable,
    private readonly put: DumpOptions['put'],
  ) {}

  /** The last message is the end of the format. */
  get rows(): number {
    return Math.max(0, this.messages - 1);
  }

  /** Null while the block is not full. */
  add(row: Buffer): Promise<void> | null {
    this.messages += 1;
    this.block.push(Buffer.from(row));
    this.blockBytes += row.length;
    return this.blockBytes < BLOCK_BYTES ? null : this.flushBlock();
  }

  async end(): Promise<DumpedTable> {
    await this.flushBlock();
    await this.flushFile();
    const { name, columns } = this.table;
    return { name, columns, rows: this.rows, files: this.files };
  }

  private flushBlock(): Promise<void> {
    const block = Buffer.concat(this.block);
    [this.block, this.blockBytes] = [[], 0];
    const before = this.work;
    this.work = (async () => {
      await before;
      const used = process.cpuUsage();
      const compressed = await compress(block, { level: LEVEL });
      this.file.push(compressed);
      this.fileBytes += compressed.length;
      if (this.fileBytes >= FILE_BYTES) await this.flushFile();
      const { user, system } = process.cpuUsage(used);
      await pause(((user + system) / 1_000) * (1 / OWN_SHARE - 1));
    })();
    return this.work;
  }

  private async flushFile(): Promise<void> {
    if (this.fileBytes === 0) return;
    const body = Buffer.concat(this.file);
    [this.file, this.fileBytes] = [[], 0];
    const name = `database/${this.table.name}.${String(this.files.length + 1).padStart(4, '0')}.copy.gz`;
    await this.put(name, body);
    this.files.push({ name, bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') });
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
