import { Injectable } from '@nestjs/common';
import { isId, lowestIdAt, type Visibility } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { StoredContents } from '../message/content/stored-contents.js';
import type {
  AttachmentView,
  EmailContentView,
  EmailDetails,
  EmailRow,
  EmailSummary,
  EmailView,
  RecipientView,
  SummaryRow,
  VisitsView,
} from '../email.resource.js';
import { searchKey } from '../intake/recipients.js';
import { toEmailSummary, SUMMARY_COLUMNS } from './email-summary.js';
import { readContent, type StoredAttachment } from './email-content.js';
import { recipientsOfAll, smtpOf, type RecipientRow } from './recipient-row.js';
import { visitsOf } from './visited-emails.js';
import { storedContentsOf } from './stored-content.js';
import { visibilityValues, visibleEmails } from './visible-emails.js';

type DetailRow = SummaryRow & Pick<EmailRow, 'retry_of' | 'tracking'>;

const NO_CONTENT: EmailContentView = { html: null, text: null, headers: {}, attachments: [] };
const NO_VISITS = new Map<string, Map<number, VisitsView>>();
const CONTENTS_AT_ONCE = 4;

const LAST_FAILURES = `
  SELECT asked.address, last.status, last.reason, last.since
    FROM unnest($3::text[], $4::bigint[]) AS asked (address, key)
   CROSS JOIN LATERAL (
     SELECT r.status, r.smtp_text AS reason, e.created_at AS since
       FROM recipients r JOIN emails e ON e.id = r.email_id
      WHERE r.search_key = asked.key AND e.account_id = $1 AND e.sender_address = $2
      ORDER BY r.email_id DESC LIMIT 1) last`;

/** Reads emails for the API. An email that the key does not see does not exist. */
@Injectable()
export class EmailQueries {
  constructor(
    private readonly database: Database,
    private readonly stored: StoredContents,
  ) {}

  async find(visibility: Visibility, id: string): Promise<EmailView | null> {
    const details = (await this.details(visibility, [id])).get(id);
    if (details === undefined) return null;
    return { ...details, ...((await this.contents(visibility, [id])).get(id) ?? NO_CONTENT) };
  }

  /** Without content, by id. Emails that the key does not see are missing. */
  async details(visibility: Visibility, ids: readonly string[]): Promise<Map<string, EmailDetails>> {
    const rows = await this.rows(visibility, ids);
    const found = rows.map(({ id }) => id);
    const recipients = await recipientsOfAll(this.database, found);
    const tracked = rows.filter(({ tracking }) => tracking !== null).map(({ id }) => id);
    const visits = tracked.length === 0 ? NO_VISITS : await visitsOf(this.database, tracked);
    return new Map(
      rows.map((row) => [
        row.id,
        {
          ...toEmailSummary(row),
          recipients: (recipients.get(row.id) ?? []).map((one) =>
            toRecipientView(one, visits.get(row.id)?.get(one.ordinal) ?? null),
          ),
          retry_of: row.retry_of,
          tracking: row.tracking,
        },
      ]),
    );
  }

  /**
   * Contents by email. Emails without stored content, and those that the key does not see, are missing. Read a few at a time,
   * because attachments are decoded to read the rest.
   */
  async contents(visibility: Visibility, ids: readonly string[]): Promise<Map<string, EmailContentView>> {
    const contents = new Map<string, EmailContentView>();
    for (let at = 0; at < ids.length; at += CONTENTS_AT_ONCE) {
      const found = await storedContentsOf(this.database, this.stored, [
        visibility,
        ids.slice(at, at + CONTENTS_AT_ONCE),
      ]);
      for (const [id, stored] of found) {
        if (stored === null) continue;
        const { attachments, ...content } = readContent(id, stored);
        contents.set(id, { ...content, attachments: attachments.map(toAttachmentView) });
      }
    }
    return contents;
  }

  /**
   * The result of the newest message from a sender to each address, by address, as far as it failed for good. `since` is
   * the time at which the message was accepted.
   */
  async lastFailures(of: {
    accountId: string;
    sender: string;
    addresses: readonly string[];
  }): Promise<Map<string, { reason: string | null; since: Date }>> {
    const { accountId, sender, addresses } = of;
    const { rows } = await this.database.query<{
      address: string;
      status: string;
      reason: string | null;
      since: Date;
    }>({
      name: 'emails-last-failures',
      text: LAST_FAILURES,
      values: [accountId, sender, addresses, addresses.map((address) => searchKey(accountId, address))],
    });
    const failed = rows.filter(({ status }) => status === 'bounced' || status === 'failed');
    return new Map(failed.map(({ address, reason, since }) => [address, { reason, since }]));
  }

  /** Without content and recipients. */
  async summary(visibility: Visibility, id: string): Promise<EmailSummary | null> {
    return (await this.summaries(visibility, [id])).get(id) ?? null;
  }

  /** Without content and recipients, by id. Emails that the key does not see are missing. */
  async summaries(visibility: Visibility, ids: readonly string[]): Promise<Map<string, EmailSummary>> {
    return new Map((await this.rows(visibility, ids)).map((row) => [row.id, toEmailSummary(row)]));
  }

  /** The allowance units of the visible emails accepted since a time; canceled scheduled emails have returned theirs. */
  async unitsSince(visibility: Visibility, since: Date): Promise<number> {
    const { rows } = await this.database.query<{ units: string }>(
      `SELECT coalesce(sum(e.units), 0) AS units FROM emails e
        WHERE e.id >= $1 AND e.created_at >= $2 AND ${visibleEmails(3)}
          AND NOT (e.status = 'canceled' AND e.scheduled_at IS NOT NULL)`,
      [lowestIdAt('em', since), since, ...visibilityValues(visibility)],
    );
    return Number(rows[0].units);
  }

  private async rows(visibility: Visibility, ids: readonly string[]): Promise<DetailRow[]> {
    const valid = ids.filter((id) => isId('em', id));
    if (valid.length === 0) return [];
    const { rows } = await this.database.query<DetailRow>(
      `SELECT ${SUMMARY_COLUMNS}, retry_of, tracking FROM emails e
        WHERE e.id = ANY ($1) AND ${visibleEmails(2)}`,
      [valid, ...visibilityValues(visibility)],
    );
    return rows;
  }
}

export const toAttachmentView = (attachment: StoredAttachment): AttachmentView => ({
  id: attachment.id,
  filename: attachment.filename,
  content_type: attachment.contentType,
  content_disposition: attachment.disposition,
  content_id: attachment.contentId,
  size: attachment.content.length,
});

const toRecipientView = (row: RecipientRow, visits: VisitsView | null): RecipientView => ({
  address: row.address,
  type: row.type,
  status: row.status,
  attempts: row.attempts,
  smtp: smtpOf(row),
  next_attempt_at: row.status === 'deferred' ? (row.due_at?.toISOString() ?? null) : null,
  visits,
});
