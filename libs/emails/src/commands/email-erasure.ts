import type { AddressErasure, ErasedBatch } from '#libs/contracts';
import { domainOf, normaliseAddress } from '#libs/mime';
import type { Queryable } from '#libs/persistence';
import { deleteContents } from '../message/content/stored-contents.js';
import { searchKey } from '../intake/recipients.js';
import { dropSegmentsFrom } from '../queries/list/search-segments.js';

interface ErasedColumns {
  header_to: string[];
  header_cc: string[];
  header_bcc: string[];
  reply_to: string[];
  subject: string;
  tags: Record<string, string>;
  unsubscribe: unknown;
}

/** A recipient that is to be erased. */
export interface ErasableRecipient {
  email_id: string;
  ordinal: number;
  /** As it was written. */
  address: string;
}

interface Batch {
  after: string;
  limit: number;
}

/** Keys that one batch reads. */
const SCANNED = 5_000;
/** Neither scopes nor keys contain it. */
const SEPARATOR = '\n';

/** The scopes of an account begin with its id and a colon; the semicolon is the character after it. */
const NEXT_ANSWERS = `
  SELECT scope, key, CASE WHEN strpos(response::text, '@') > 0 THEN response END AS response FROM idempotency_keys
   WHERE scope >= $1 || ':' AND scope < $1 || ';' AND (scope, key) > ($2, $3) ORDER BY scope, key LIMIT $4`;

interface Answer {
  scope: string;
  key: string;
  /** Null: it has no address. */
  response: unknown;
}

/** Finds and erases a recipient in what this library stores, in the transaction `db` where it writes several rows. */
export class EmailErasure {
  constructor(
    private readonly db: Queryable,
    private readonly erasure: AddressErasure,
  ) {}

  /** The recipients with this address in messages after `after`, in the order of their ids; `last`: there may be more behind it. */
  async recipients({ after, limit }: Batch): Promise<{ recipients: ErasableRecipient[]; last: string | null }> {
    const { accountId, address } = this.erasure;
    const { rows } = await this.db.query<ErasableRecipient>(
      `SELECT email_id, ordinal, address FROM recipients WHERE search_key = $1 AND email_id > $2
        ORDER BY search_key, email_id LIMIT $3`,
      [searchKey(accountId, address), after, limit],
    );
    // The key is a hash: another address may have the same.
    const recipients = rows.filter((row) => normaliseAddress(row.address) === address);
    return { recipients, last: rows.length === limit ? rows[rows.length - 1].email_id : null };
  }

  /** The messages that had the erased address as a recipient, in the order of their ids. */
  async erasedEmails({ after, limit }: Batch): Promise<string[]> {
    const { accountId, erasedAs } = this.erasure;
    const { rows } = await this.db.query<{ email_id: string }>(
      `SELECT DISTINCT email_id FROM recipients WHERE search_key = $1 AND email_id > $2 ORDER BY email_id LIMIT $3`,
      [searchKey(accountId, erasedAs), after, limit],
    );
    return rows.map(({ email_id }) => email_id);
  }

  /**
   * Replaces the address in the rows of one message, and deletes its content and its captured copies. The transaction holds the
   * locks of the message and its recipients, none of whom is waiting for delivery.
   */
  async eraseFrom(emailId: string): Promise<{ bodies: number; captured: number }> {
    await eraseFields(this.db, emailId, this.erasure);
    await eraseRecipients(this.db, emailId, this.erasure);
    const bodies = await deleteContents(this.db, [emailId]);
    const captured = await this.db.query('DELETE FROM captured_messages WHERE email_id = $1', [emailId]);
    return { bodies, captured: captured.rowCount };
  }

  /** Replaces the address in the answers that are kept for repeated requests, behind the key in `cursor` ('' for the beginning). */
  async eraseStoredAnswers(cursor: string): Promise<ErasedBatch> {
    const { accountId } = this.erasure;
    const [scopeBefore = '', keyBefore = ''] = cursor.split(SEPARATOR);
    const { rows } = await this.db.query<Answer>(NEXT_ANSWERS, [accountId, scopeBefore, keyBefore, SCANNED]);
    let erased = 0;
    for (const { scope, key, response } of rows) {
      const after = JSON.stringify(this.erasure.rewriteJson(response));
      if (after === JSON.stringify(response)) continue;
      await this.db.query('UPDATE idempotency_keys SET response = $3 WHERE scope = $1 AND key = $2', [
        scope,
        key,
        after,
      ]);
      erased += 1;
    }
    const last = rows.at(-1);
    return { rows: erased, cursor: rows.length < SCANNED || !last ? null : `${last.scope}${SEPARATOR}${last.key}` };
  }
}

interface ErasedRow {
  ordinal: number;
  address: string;
  smtp_text: string | null;
  wait_reason: unknown;
}

/** The address of the recipient, and the last replies to all recipients: one new version of each row that has it. */
async function eraseRecipients(tx: Queryable, emailId: string, erasure: AddressErasure): Promise<void> {
  const { accountId, erasedAs } = erasure;
  const { rows } = await tx.query<ErasedRow>(
    'SELECT ordinal, address, smtp_text, wait_reason FROM recipients WHERE email_id = $1 ORDER BY ordinal',
    [emailId],
  );
  const changed = rows
    .map((before) => ({ before, after: erasedRow(before, erasure) }))
    .filter(({ before, after }) => JSON.stringify(after) !== JSON.stringify(before))
    .map(({ after }) => after);
  if (changed.length === 0) return;
  await tx.query(
    `UPDATE recipients r
        SET smtp_text = changed.smtp_text, wait_reason = changed.wait_reason, address = changed.address,
            domain = CASE WHEN changed.address = $6 THEN $7 ELSE r.domain END,
            search_key = CASE WHEN changed.address = $6 THEN $8 ELSE r.search_key END
       FROM unnest($2::smallint[], $3::text[], $4::text[], $5::jsonb[]) AS changed (ordinal, address, smtp_text, wait_reason)
      WHERE r.email_id = $1 AND r.ordinal = changed.ordinal`,
    [
      emailId,
      changed.map(({ ordinal }) => ordinal),
      changed.map((row) => row.address),
      changed.map(({ smtp_text: text }) => text),
      changed.map(({ wait_reason: reason }) => (reason === null ? null : JSON.stringify(reason))),
      erasedAs,
      domainOf(erasedAs),
      searchKey(accountId, erasedAs),
    ],
  );
}

const erasedRow = ({ ordinal, address, smtp_text: text, wait_reason: reason }: ErasedRow, erasure: AddressErasure) => ({
  ordinal,
  address: normaliseAddress(address) === erasure.address ? erasure.erasedAs : address,
  smtp_text: text === null ? null : erasure.rewrite(text),
  wait_reason: reason === null ? null : erasure.rewriteJson(reason),
});

async function eraseFields(tx: Queryable, emailId: string, erasure: AddressErasure): Promise<void> {
  const { rows } = await tx.query<ErasedColumns>(
    `SELECT header_to, header_cc, header_bcc, reply_to, subject, tags, unsubscribe FROM emails WHERE id = $1`,
    [emailId],
  );
  if (rows.length === 0) return;
  const [before] = rows;
  const after = erasure.rewriteJson(before);
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  await tx.query(
    `UPDATE emails SET header_to = $2, header_cc = $3, header_bcc = $4, reply_to = $5, subject = $6, tags = $7,
            unsubscribe = $8 WHERE id = $1`,
    [
      emailId,
      after.header_to.map((text) => withoutName(text, erasure.erasedAs)),
      after.header_cc.map((text) => withoutName(text, erasure.erasedAs)),
      after.header_bcc.map((text) => withoutName(text, erasure.erasedAs)),
      after.reply_to.map((text) => withoutName(text, erasure.erasedAs)),
      after.subject,
      JSON.stringify(after.tags),
      after.unsubscribe === null ? null : JSON.stringify(after.unsubscribe),
    ],
  );
  await dropSegmentsFrom(tx, erasure.accountId, emailId);
  for (const [key, value] of Object.entries(before.tags))
    if (after.tags[key] !== value)
      await tx.query(
        'UPDATE email_tags SET value = $4 WHERE account_id = $1 AND key = $2 AND value = $3 AND email_id = $5',
        [erasure.accountId, key, value, after.tags[key], emailId],
      );
}

/** The display name before an erased address is a name of the same person. */
const withoutName = (mailbox: string, erasedAs: string): string => (mailbox.includes(erasedAs) ? erasedAs : mailbox);
