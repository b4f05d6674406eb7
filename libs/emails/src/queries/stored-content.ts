import type { Visibility } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
import { CONTENT_COLUMNS, type ContentRow, type StoredContents } from '../message/content/stored-contents.js';
import type { StoredContent } from '../message/delivery-job.js';
import { visibilityValues, visibleEmails } from './visible-emails.js';

/**
 * Stored contents by email, for everything that shows or copies them: null once the content is deleted. Missing are emails that
 * the caller does not see, and login mail, whose links would let any reader of the account log in as the recipient.
 * @throws Refusal `service_unavailable` while a content that is kept outside of the database cannot be read
 */
export async function storedContentsOf(
  db: Queryable,
  contents: StoredContents,
  [visibility, emailIds]: [Visibility, readonly string[]],
): Promise<Map<string, StoredContent | null>> {
  const { rows } = await db.query<{ id: string } & (ContentRow | { format: null })>(
    `SELECT e.id, ${CONTENT_COLUMNS('c')} FROM emails e LEFT JOIN email_contents c ON c.email_id = e.id
      WHERE e.id = ANY ($1) AND NOT e.is_login_mail AND ${visibleEmails(2)}`,
    [emailIds, ...visibilityValues(visibility)],
  );
  const load = async (row: (typeof rows)[number]) => (row.format === null ? null : contents.load(row));
  return new Map(await Promise.all(rows.map(async (row) => [row.id, await load(row)] as const)));
}
