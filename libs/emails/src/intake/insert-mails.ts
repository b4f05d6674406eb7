import type { RoutedEvent } from '#libs/contracts';
import { insertPortion, PORTION_PARAMETERS, portionOf, type Queryable } from '#libs/persistence';
import type { StoredContent } from '../ledger/delivery-job.js';

/** Everything that one accepted mail writes; made before the commit so that a group of them is one statement. */
export interface MailRows {
  id: string;
  email: Record<string, unknown>;
  recipients: Record<string, unknown>[];
  tags: Record<string, unknown>[];
  events: RoutedEvent[];
  content: StoredContent;
}

type Columns = [name: string, type: string][];

const EMAIL_COLUMNS: Columns = [
  ['id', 'text'],
  ['account_id', 'text'],
  ['domain_id', 'text'],
  ['mode', 'text'],
  ['source', 'text'],
  ['status', 'text'],
  ['last_event', 'text'],
  ['direct', 'boolean'],
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
];
const RECIPIENT_COLUMNS: Columns = [
  ['email_id', 'text'],
  ['ordinal', 'smallint'],
  ['address', 'text'],
  ['domain', 'text'],
  ['search_key', 'bigint'],
  ['type', 'text'],
  ['status', 'text'],
  ['due_at', 'timestamptz'],
  ['expires_at', 'timestamptz'],
  ['claimed_by', 'text'],
  ['fence', 'int'],
  ['ripe', 'boolean'],
];
const TAG_COLUMNS: Columns = [
  ['account_id', 'text'],
  ['key', 'text'],
  ['value', 'text'],
  ['email_id', 'text'],
];
const PORTION = 3;
const FIRST_BODY = PORTION + PORTION_PARAMETERS;
/** Mails of one statement: PostgreSQL takes 65,535 parameters, but a plan of thousands is no longer cheap. */
const STATEMENT_MAILS = 128;
/** Each is a row and an event that repeats what the mail says of itself, up to 6 kB of JSON to be written out at once. */
const STATEMENT_RECIPIENTS = 512;
/** Of bodies, which are copied once on their way to the socket. One mail may have more. */
const STATEMENT_BYTES = 8 * 1024 * 1024;

const names = (columns: Columns) => columns.map(([name]) => name).join(', ');
const recordset = (columns: Columns, parameter: string) =>
  `SELECT ${names(columns)} FROM json_to_recordset(${parameter}::json) AS r(${columns.map(([name, type]) => `${name} ${type}`).join(', ')})`;

/** What a statement writes: up to `bodies` mails, a power of two, so that few variants are ever planned. */
interface Shape {
  bodies: number;
  hasTags: boolean;
  hasKeys: boolean;
}

const statements = new Map<string, string>();
function insertStatement(shape: Shape): { name: string; text: string } {
  const name = `accept-${shape.bodies}${shape.hasTags ? '-tags' : ''}${shape.hasKeys ? '-keys' : ''}`;
  let text = statements.get(name);
  if (text === undefined) statements.set(name, (text = writeInsertStatement(shape)));
  return { name, text };
}

/**
 * A table that a statement names is opened with its indexes, whether a row comes or not: tags and keys, which many mails do
 * not have, are left out then. Rows of bodies that are not there are NULL.
 */
function writeInsertStatement({ bodies, hasTags, hasKeys }: Shape): string {
  const rows = Array.from({ length: bodies }, (_, i) => {
    const at = FIRST_BODY + 3 * i;
    return `($${at}::text, $${at + 1}::text, $${at + 2}::bytea)`;
  });
  const tags = FIRST_BODY + 3 * bodies;
  const keys = hasTags ? tags + 1 : tags;
  const emails = `INSERT INTO emails (${names(EMAIL_COLUMNS)}) ${recordset(EMAIL_COLUMNS, '$1')}`;
  const beside = [
    `r AS (INSERT INTO recipients (${names(RECIPIENT_COLUMNS)}) ${recordset(RECIPIENT_COLUMNS, '$2')})`,
    `o AS (${insertPortion(PORTION)})`,
    `b AS (INSERT INTO email_contents (email_id, format, body)
           SELECT * FROM (VALUES ${rows.join(', ')}) AS v(id, format, body) WHERE id IS NOT NULL)`,
  ];
  if (hasTags)
    beside.push(`t AS (INSERT INTO email_tags (${names(TAG_COLUMNS)}) ${recordset(TAG_COLUMNS, `$${tags}`)})`);
  if (!hasKeys) return `WITH ${beside.join(', ')} ${emails}`;
  // PostgreSQL runs the main statement before those of the WITH list: a key that is taken ends it before anything else
  // was written.
  return `WITH e AS (${emails}), ${beside.join(', ')}
  INSERT INTO idempotency_keys (scope, key, body_hash, response)
  SELECT scope, key, decode(body_hash, 'base64'), response
    FROM json_to_recordset($${keys}::json) AS k(scope text, key text, body_hash text, response jsonb)`;
}

/** An idempotency key that the statement takes along; it must not exist yet. */
export interface NewKey {
  scope: string;
  key: string;
  bodyHash: Buffer;
  response: unknown;
}

/** The mails in order, as many together as one statement takes. */
function shares(mails: readonly MailRows[]): MailRows[][] {
  const result: MailRows[][] = [];
  let [recipients, bytes] = [0, 0];
  for (const mail of mails) {
    recipients += mail.recipients.length;
    bytes += mail.content.body.length;
    const share = result.at(-1);
    if (share && share.length < STATEMENT_MAILS && recipients <= STATEMENT_RECIPIENTS && bytes <= STATEMENT_BYTES)
      share.push(mail);
    else {
      result.push([mail]);
      [recipients, bytes] = [mail.recipients.length, mail.content.body.length];
    }
  }
  return result;
}

export const fitsOneStatement = (mails: readonly MailRows[]): boolean => shares(mails).length <= 1;

/** Writes the mails in as many statements as they need, the bodies as binary parameters. */
export async function insertMails(db: Queryable, mails: readonly MailRows[]): Promise<void> {
  for (const share of shares(mails)) await insertWithKeys(db, share, []);
}

/**
 * Writes mails and keys in one statement, and so in one round trip.
 * @throws a unique violation when a key exists; nothing is written then.
 */
export async function insertWithKeys(
  db: Queryable,
  mails: readonly MailRows[],
  keys: readonly NewKey[],
): Promise<void> {
  const bodies = 2 ** Math.ceil(Math.log2(mails.length));
  const tags = mails.flatMap((mail) => mail.tags);
  const values: unknown[] = [
    JSON.stringify(mails.map((mail) => mail.email)),
    JSON.stringify(mails.flatMap((mail) => mail.recipients)),
    ...portionOf(mails.flatMap((mail) => mail.events)),
  ];
  for (let i = 0; i < bodies; i++) {
    const mail = mails[i];
    values.push(...(mail ? [mail.id, mail.content.format, mail.content.body] : [null, null, null]));
  }
  const [hasTags, hasKeys] = [tags.length > 0, keys.length > 0];
  if (hasTags) values.push(JSON.stringify(tags));
  if (hasKeys) values.push(JSON.stringify(keys.map(keyRow)));
  const { name, text } = insertStatement({ bodies, hasTags, hasKeys });
  await db.query({ name, text, values });
}

const keyRow = ({ scope, key, bodyHash, response }: NewKey) => ({
  scope,
  key,
  body_hash: bodyHash.toString('base64'),
  response,
});
