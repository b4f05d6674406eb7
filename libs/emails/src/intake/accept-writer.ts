import { Refusal, type RoutedEvent } from '#libs/contracts';
import {
  isRetryable,
  isUnavailable,
  outboxArrays,
  OUTBOX_COLUMNS,
  OUTBOX_FROM_ARRAYS,
  type Database,
  type Queryable,
} from '#libs/persistence';
import type { StoredContent } from '../ledger/delivery-job.js';
import type { Accepted, Idempotency } from './submission.js';

/** Everything that one accepted mail writes; made before the commit so that the commit is one statement. */
export interface AcceptItem {
  id: string;
  email: Record<string, unknown>;
  recipients: Record<string, unknown>[];
  events: RoutedEvent[];
  content: StoredContent;
  idempotency: Idempotency | null;
}

const EMAIL_COLUMNS: [name: string, type: string][] = [
  ['id', 'text'],
  ['account_id', 'text'],
  ['domain_id', 'text'],
  ['mode', 'text'],
  ['source', 'text'],
  ['status', 'text'],
  ['last_event', 'text'],
  ['sender', 'text'],
  ['header_to', 'text[]'],
  ['header_cc', 'text[]'],
  ['header_bcc', 'text[]'],
  ['reply_to', 'text[]'],
  ['subject', 'text'],
  ['tags', 'jsonb'],
  ['message_id', 'text'],
  ['size', 'int'],
  ['recipient_count', 'smallint'],
  ['sequence', 'int'],
  ['created_at', 'timestamptz'],
  ['updated_at', 'timestamptz'],
  ['scheduled_at', 'timestamptz'],
];
const RECIPIENT_COLUMNS: [name: string, type: string][] = [
  ['email_id', 'text'],
  ['ordinal', 'smallint'],
  ['address', 'text'],
  ['domain', 'text'],
  ['type', 'text'],
  ['status', 'text'],
  ['due_at', 'timestamptz'],
  ['expires_at', 'timestamptz'],
  ['claimed_by', 'text'],
  ['fence', 'int'],
];
const OUTBOX_ARRAYS = 9;

const names = (columns: [string, string][]) => columns.map(([name]) => name).join(', ');
const recordset = (columns: [string, string][], parameter: string) =>
  `SELECT ${names(columns)} FROM json_to_recordset(${parameter}::json) AS r(${columns.map(([name, type]) => `${name} ${type}`).join(', ')})`;

/** Statement for up to `bodies` mails; a power of two, so that few variants are ever planned. Missing rows are NULL. */
const statements = new Map<number, string>();
function insertStatement(bodies: number): string {
  let text = statements.get(bodies);
  if (text === undefined) statements.set(bodies, (text = writeInsertStatement(bodies)));
  return text;
}

function writeInsertStatement(bodies: number): string {
  const first = 3 + OUTBOX_ARRAYS;
  const rows = Array.from(
    { length: bodies },
    (_, i) => `($${first + 3 * i}::text, $${first + 3 * i + 1}::text, $${first + 3 * i + 2}::bytea)`,
  );
  return `WITH e AS (INSERT INTO emails (${names(EMAIL_COLUMNS)}) ${recordset(EMAIL_COLUMNS, '$1')}),
    r AS (INSERT INTO recipients (${names(RECIPIENT_COLUMNS)}) ${recordset(RECIPIENT_COLUMNS, '$2')}),
    o AS (INSERT INTO outbox (${OUTBOX_COLUMNS}) ${OUTBOX_FROM_ARRAYS(3)})
  INSERT INTO email_contents (email_id, format, body) SELECT * FROM (VALUES ${rows.join(', ')}) AS b(id, format, body) WHERE id IS NOT NULL`;
}

/**
 * The one transaction of a group of accepts: idempotency keys, then everything else in one statement with the bodies as
 * binary parameters. An item that cannot be written never costs its neighbours: the group is then done one by one.
 */
export class AcceptWriter {
  constructor(private readonly database: Database) {}

  async commit(items: AcceptItem[]): Promise<(Accepted | Error)[]> {
    try {
      return await this.commitGroup(items);
    } catch (error) {
      if (isUnavailable(error)) return items.map(() => unavailable());
      if (isRetryable(error)) return this.commitGroup(items).catch(() => this.oneByOne(items));
      return this.oneByOne(items);
    }
  }

  private async oneByOne(items: AcceptItem[]): Promise<(Accepted | Error)[]> {
    const results: (Accepted | Error)[] = [];
    for (const item of items) {
      results.push(
        ...(await this.commitGroup([item]).catch((error: Error) => [isUnavailable(error) ? unavailable() : error])),
      );
    }
    return results;
  }

  private async commitGroup(items: AcceptItem[]): Promise<(Accepted | Error)[]> {
    if (items.every((item) => item.idempotency === null)) {
      await this.insert(this.database, items);
      return items.map((item) => ({ id: item.id, replayed: false }));
    }
    const winners = await this.database.transaction(async (tx) => {
      const won = await this.takeKeys(tx, items);
      if (won.length > 0) await this.insert(tx, won);
      return new Set(won);
    });
    return Promise.all(
      items.map(async (item) => (winners.has(item) ? { id: item.id, replayed: false } : this.replay(item))),
    );
  }

  /** Items whose key is theirs now, or that have none. A key that two items of the group bring belongs to the first. */
  private async takeKeys(tx: Queryable, items: AcceptItem[]): Promise<AcceptItem[]> {
    const firstOf = new Map<string, AcceptItem>();
    for (const item of items) {
      const name = keyName(item.idempotency);
      if (name !== null && !firstOf.has(name)) firstOf.set(name, item);
    }
    // In one order for every group of every process: two groups never wait for each other's keys in a ring.
    const keyed = [...firstOf].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
    const { rows } = await tx.query<{ scope: string; key: string }>({
      name: 'accept-keys',
      text: `INSERT INTO idempotency_keys AS k (scope, key, body_hash, response)
             SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::jsonb[])
             ON CONFLICT (scope, key) DO UPDATE SET body_hash = excluded.body_hash, response = excluded.response, created_at = now()
             WHERE k.created_at < now() - interval '24 hours'
             RETURNING scope, key`,
      values: [
        keyed.map((item) => item.idempotency?.scope),
        keyed.map((item) => item.idempotency?.key),
        keyed.map((item) => item.idempotency?.bodyHash ?? Buffer.alloc(0)),
        keyed.map((item) => JSON.stringify({ id: item.id })),
      ],
    });
    const won = new Set(rows.map((row) => keyName(row)));
    return items.filter((item) => {
      const name = keyName(item.idempotency);
      return name === null || (won.has(name) && firstOf.get(name) === item);
    });
  }

  /** The answer that the key's first request got; a Refusal when that request had another body. */
  private async replay(item: AcceptItem): Promise<Accepted | Error> {
    const { scope, key, bodyHash } = item.idempotency as Idempotency;
    const { rows } = await this.database.query<{ body_hash: Buffer; response: { id: string } }>(
      'SELECT body_hash, response FROM idempotency_keys WHERE scope = $1 AND key = $2',
      [scope, key],
    );
    if (rows.length === 0) return new Refusal('idempotency_running', [], undefined, 1);
    if (bodyHash && !bodyHash.equals(rows[0].body_hash)) return new Refusal('idempotency_mismatch');
    return { id: rows[0].response.id, replayed: true };
  }

  private async insert(db: Queryable, items: AcceptItem[]): Promise<void> {
    const bodies = 2 ** Math.ceil(Math.log2(items.length));
    const values: unknown[] = [
      JSON.stringify(items.map((item) => item.email)),
      JSON.stringify(items.flatMap((item) => item.recipients)),
      ...outboxArrays(items.flatMap((item) => item.events)),
    ];
    for (let i = 0; i < bodies; i++) {
      const item = items[i];
      values.push(...(item ? [item.id, item.content.format, item.content.body] : [null, null, null]));
    }
    await db.query({ name: `accept-${bodies}`, text: insertStatement(bodies), values });
  }
}

const keyName = (of: { scope: string; key: string } | null): string | null =>
  of === null ? null : `${of.scope}\n${of.key}`;

const unavailable = (): Refusal => new Refusal('service_unavailable', [], undefined, 2);
