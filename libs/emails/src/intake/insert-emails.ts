import type { RoutedEvent } from '#libs/contracts';
import { outbox, type Queryable } from '#libs/persistence';
import type { EmailRow } from '../email.resource.js';
import type { ContentRef } from '../message/content/segment-store.js';
import type { StoredContent } from '../message/delivery-job.js';

/** All rows of one accepted email, built before the commit so that a group of emails is one statement. */
export interface EmailRows {
  id: string;
  email: Partial<Record<keyof EmailRow, unknown>>;
  recipients: Record<string, unknown>[];
  tags: Record<string, unknown>[];
  events: RoutedEvent[];
  content: StoredContent;
  /** The place of the body; null: in the database. */
  place: ContentRef | null;
}

type Columns = [name: string, type: string][];

const EMAIL_COLUMNS: Columns = [
  ['id', 'text'],
  ['account_id', 'text'],
  ['domain_id', 'text'],
  ['api_key_id', 'text'],
  ['mode', 'text'],
  ['source', 'text'],
  ['status', 'text'],
  ['last_event', 'text'],
  ['claimed_on_accept', 'boolean'],
  ['sender', 'text'],
  ['sender_address', 'text'],
  ['header_to', 'text[]'],
  ['header_cc', 'text[]'],
  ['header_bcc', 'text[]'],
  ['reply_to', 'text[]'],
  ['subject', 'text'],
  ['tags', 'jsonb'],
  ['message_id', 'text'],
  ['size', 'int'],
  ['recipient_count', 'smallint'],
  ['units', 'smallint'],
  ['sequence', 'int'],
  ['created_at', 'timestamptz'],
  ['updated_at', 'timestamptz'],
  ['scheduled_at', 'timestamptz'],
  ['lifetime_seconds', 'int'],
  ['sandbox_result', 'text'],
  ['retry_of', 'text'],
  ['unsubscribe', 'jsonb'],
  ['tracking', 'jsonb'],
  ['is_login_mail', 'boolean'],
  ['priority', 'text'],
  ['trace_context', 'text'],
];
const RECIPIENT_COLUMNS: Columns = [
  ['account_id', 'text'],
  ['email_id', 'text'],
  ['ordinal', 'smallint'],
  ['address', 'text'],
  ['domain', 'text'],
  ['search_key', 'bigint'],
  ['domain_key', 'int'],
  ['type', 'text'],
  ['status', 'text'],
  ['due_at', 'timestamptz'],
  ['expires_at', 'timestamptz'],
  ['claimed_by', 'text'],
  ['fence', 'int'],
  ['is_bulk', 'boolean'],
  ['is_due', 'boolean'],
];
const TAG_COLUMNS: Columns = [
  ['account_id', 'text'],
  ['key', 'text'],
  ['value', 'text'],
  ['email_id', 'text'],
];
const CONTENT_COLUMNS: Columns = [
  ['email_id', 'text'],
  ['format', 'text'],
  ['segment', 'text'],
  ['position', 'int'],
  ['bytes', 'int'],
  ['checksum', 'int'],
];
const OUTBOX = 3;
const FIRST_BODY = OUTBOX + outbox.parameters;
/**
 * Emails per statement. PostgreSQL allows 65,535 parameters, but planning a statement with thousands of them is slow.
 */
const STATEMENT_EMAILS = 128;
/** Recipients per statement. Each is a row and an event of up to 6 kB of JSON. */
const STATEMENT_RECIPIENTS = 512;
/** Bytes of bodies per statement; they are copied once on the way to the socket. A single email may be larger. */
const STATEMENT_BYTES = 8 * 1024 * 1024;

const names = (columns: Columns) => columns.map(([name]) => name).join(', ');
const recordset = (columns: Columns, parameter: string) =>
  `SELECT ${names(columns)} FROM json_to_recordset(${parameter}::json) AS r(${columns.map(([name, type]) => `${name} ${type}`).join(', ')})`;

/** The parts of a statement: up to `bodies` emails, a power of two, so that few variants are planned. */
interface Shape {
  /** Null: all bodies are stored elsewhere. */
  bodies: number | null;
  hasTags: boolean;
  hasKeys: boolean;
}

const statements = new Map<string, string>();
function insertStatement(shape: Shape): { name: string; text: string } {
  const name = `accept-${shape.bodies ?? 'places'}${shape.hasTags ? '-tags' : ''}${shape.hasKeys ? '-keys' : ''}`;
  let text = statements.get(name);
  if (text === undefined) statements.set(name, (text = writeInsertStatement(shape)));
  return { name, text };
}

/**
 * PostgreSQL opens every table that a statement names, with its indexes, even if no row is inserted. So tags and keys,
 * which many emails do not have, are left out if empty. Unused body parameters are NULL.
 */
function writeInsertStatement({ bodies, hasTags, hasKeys }: Shape): string {
  const tags = FIRST_BODY + (bodies === null ? 1 : 3 * bodies);
  const keys = hasTags ? tags + 1 : tags;
  const emails = `INSERT INTO emails (${names(EMAIL_COLUMNS)}) ${recordset(EMAIL_COLUMNS, '$1')}`;
  const beside = [
    `r AS (INSERT INTO recipients (${names(RECIPIENT_COLUMNS)}) ${recordset(RECIPIENT_COLUMNS, '$2')})`,
    `o AS (${outbox.insert(OUTBOX)})`,
    `b AS (${bodies === null ? insertPlaces() : insertBodies(bodies)})`,
  ];
  if (hasTags)
    beside.push(`t AS (INSERT INTO email_tags (${names(TAG_COLUMNS)}) ${recordset(TAG_COLUMNS, `$${tags}`)})`);
  if (!hasKeys) return `WITH ${beside.join(', ')} ${emails}`;
  // PostgreSQL runs the main statement before those of the WITH list, so an existing key ends the statement before
  // anything else is written.
  return `WITH e AS (${emails}), ${beside.join(', ')}
  INSERT INTO idempotency_keys (scope, key, body_hash, response)
  SELECT scope, key, decode(body_hash, 'base64'), response
    FROM json_to_recordset($${keys}::json) AS k(scope text, key text, body_hash text, response jsonb)`;
}

const insertPlaces = () =>
  `INSERT INTO email_contents (${names(CONTENT_COLUMNS)}) ${recordset(CONTENT_COLUMNS, `$${FIRST_BODY}`)}`;

function insertBodies(count: number): string {
  const rows = Array.from({ length: count }, (_, i) => {
    const at = FIRST_BODY + 3 * i;
    return `($${at}::text, $${at + 1}::text, $${at + 2}::bytea)`;
  });
  return `INSERT INTO email_contents (email_id, format, body)
          SELECT * FROM (VALUES ${rows.join(', ')}) AS v(id, format, body) WHERE id IS NOT NULL`;
}

/** An idempotency key inserted by the same statement; it must not exist yet. */
export interface NewKey {
  scope: string;
  key: string;
  bodyHash: Buffer;
  response: unknown;
}

/** Splits emails into batches of one statement each, in order. */
function batches(emails: readonly EmailRows[]): EmailRows[][] {
  const result: EmailRows[][] = [];
  let [recipients, bytes] = [0, 0];
  for (const email of emails) {
    recipients += email.recipients.length;
    bytes += email.content.body.length;
    const batch = result.at(-1);
    if (batch && batch.length < STATEMENT_EMAILS && recipients <= STATEMENT_RECIPIENTS && bytes <= STATEMENT_BYTES)
      batch.push(email);
    else {
      result.push([email]);
      [recipients, bytes] = [email.recipients.length, email.content.body.length];
    }
  }
  return result;
}

export const fitsOneStatement = (emails: readonly EmailRows[]): boolean => batches(emails).length <= 1;

/** Writes the emails in as few statements as possible, with the bodies as binary parameters. */
export async function insertEmails(db: Queryable, emails: readonly EmailRows[]): Promise<void> {
  for (const batch of batches(emails)) await insertWithKeys(db, batch, []);
}

/**
 * Writes emails and keys in one statement, and so in one round trip.
 * @throws a unique violation if a key exists; then nothing is written.
 */
export async function insertWithKeys(
  db: Queryable,
  emails: readonly EmailRows[],
  keys: readonly NewKey[],
): Promise<void> {
  const isPlaced = emails.every(({ place }) => place !== null);
  const bodies = isPlaced ? null : 2 ** Math.ceil(Math.log2(emails.length));
  const tags = emails.flatMap((email) => email.tags);
  const values: unknown[] = [
    JSON.stringify(emails.map((email) => email.email)),
    JSON.stringify(emails.flatMap((email) => email.recipients)),
    ...outbox.values(emails.flatMap((email) => email.events)),
  ];
  values.push(...(bodies === null ? [JSON.stringify(emails.map(placeRow))] : bodyValues(emails, bodies)));
  const [hasTags, hasKeys] = [tags.length > 0, keys.length > 0];
  if (hasTags) values.push(JSON.stringify(tags));
  if (hasKeys) values.push(JSON.stringify(keys.map(keyRow)));
  const { name, text } = insertStatement({ bodies, hasTags, hasKeys });
  await db.query({ name, text, values });
}

/** Changes the time of a scheduled email. The queue changes status and due time in the same transaction. */
export async function updateScheduledAt(tx: Queryable, emailId: string, at: Date): Promise<void> {
  await tx.query('UPDATE emails SET scheduled_at = $2 WHERE id = $1', [emailId, at]);
}

const placeRow = ({ id, content, place }: EmailRows) => ({ email_id: id, format: content.format, ...place });

function bodyValues(emails: readonly EmailRows[], count: number): unknown[] {
  return Array.from({ length: count }, (_, i) => {
    const rows = emails.at(i);
    return rows ? [rows.id, rows.content.format, rows.content.body] : [null, null, null];
  }).flat();
}

const keyRow = ({ scope, key, bodyHash, response }: NewKey) => ({
  scope,
  key,
  body_hash: bodyHash.toString('base64'),
  response,
});
