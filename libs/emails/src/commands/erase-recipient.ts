import type { AddressErasure } from '#libs/contracts';
import { domainOf, normaliseAddress } from '#libs/mime';
import type { Queryable } from '#libs/persistence';
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

export interface ErasedContent {
  bodies: number;
  captured: number;
}

/** The recipients with this address in messages after `after`, in the order of their ids; `last`: there may be more behind it. */
export async function findErasableRecipients(
  db: Queryable,
  { accountId, address }: { accountId: string; address: string },
  { after, limit }: { after: string; limit: number },
): Promise<{ recipients: ErasableRecipient[]; last: string | null }> {
  const { rows } = await db.query<ErasableRecipient>(
    `SELECT email_id, ordinal, address FROM recipients WHERE search_key = $1 AND email_id > $2
      ORDER BY search_key, email_id LIMIT $3`,
    [searchKey(accountId, address), after, limit],
  );
  // The key is a hash: another address may have the same.
  const recipients = rows.filter((row) => normaliseAddress(row.address) === address);
  return { recipients, last: rows.length === limit ? rows[rows.length - 1].email_id : null };
}

/** The messages that had the erased address as a recipient, in the order of their ids. */
export async function findErasedEmails(
  db: Queryable,
  { accountId, erasedAs }: Pick<AddressErasure, 'accountId' | 'erasedAs'>,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ email_id: string }>(
    `SELECT DISTINCT email_id FROM recipients WHERE search_key = $1 AND email_id > $2 ORDER BY email_id LIMIT $3`,
    [searchKey(accountId, erasedAs), after, limit],
  );
  return rows.map(({ email_id }) => email_id);
}

/**
 * Replaces the address in the rows of one message, and deletes its content and its captured copies. The transaction holds the
 * locks of the message and its recipients, none of whom is waiting for delivery.
 */
export async function eraseRecipient(tx: Queryable, emailId: string, erasure: AddressErasure): Promise<ErasedContent> {
  await eraseFields(tx, emailId, erasure);
  await eraseRecipients(tx, emailId, erasure);
  const bodies = await tx.query('DELETE FROM email_contents WHERE email_id = $1', [emailId]);
  const captured = await tx.query('DELETE FROM captured_messages WHERE email_id = $1', [emailId]);
  return { bodies: bodies.rowCount, captured: captured.rowCount };
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
