import type { Visibility } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';
import type { StoredContent } from '../message/delivery-job.js';
import { visibilityValues, visibleEmails } from './visible-emails.js';

/**
 * Stored contents by email, for everything that shows or copies them: null once the content is deleted. Missing are emails that
 * the caller does not see, and login mail, whose links would let any reader of the account log in as the recipient.
 */
export async function storedContentsOf(
  db: Queryable,
  visibility: Visibility,
  emailIds: readonly string[],
): Promise<Map<string, StoredContent | null>> {
  const { rows } = await db.query<{ id: string } & (StoredContent | { format: null; body: null })>(
    `SELECT e.id, c.format, c.body FROM emails e LEFT JOIN email_contents c ON c.email_id = e.id
      WHERE e.id = ANY ($1) AND NOT e.is_login_mail AND ${visibleEmails(2)}`,
    [emailIds, ...visibilityValues(visibility)],
  );
  return new Map(rows.map(({ id, format, body }) => [id, format === null || body === null ? null : { format, body }]));
}
