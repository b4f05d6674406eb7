import { Injectable } from '@nestjs/common';
import { isId, orRefusal, Refusal, type EmailStatus, type Mode, type Visibility } from '#libs/contracts';
import { normaliseAddress, type Mailbox } from '#libs/mime';
import { Database } from '#libs/persistence';
import { StoredContents } from '../message/content/stored-contents.js';
import { EmailIntake } from '../intake/email-intake.js';
import type { EmailView } from '../email.resource.js';
import { decodeParts, storedMailbox } from '../message/stored-parts.js';
import type { Accepted, Idempotency, Submission } from '../intake/submission.js';
import type { StoredContent, Tracking } from '../message/delivery-job.js';
import { recipientsOf, type RecipientRow } from '../queries/recipient-row.js';
import { storedContentsOf } from '../queries/stored-content.js';
import type { HostedUnsubscribe } from '../message/unsubscribe-link.js';

/** The caller: with a test key nothing is sent, and its domains are those that it may send from. */
export interface RetryRequest extends Visibility {
  keyId: string;
  idempotency: Idempotency | null;
}

interface FailedEmailRow {
  mode: Mode;
  sender: string;
  header_to: string[];
  header_cc: string[];
  header_bcc: string[];
  reply_to: string[];
  subject: string;
  tags: Record<string, string>;
  message_id: string;
  lifetime_seconds: number | null;
  sandbox_result: string | null;
  unsubscribe: HostedUnsubscribe | null;
  tracking: Tracking | null;
  priority: EmailView['priority'];
}

const FINAL: ReadonlySet<EmailStatus> = new Set([
  'delivered',
  'bounced',
  'failed',
  'complained',
  'suppressed',
  'canceled',
]);
const FAILED: ReadonlySet<EmailStatus> = new Set(['bounced', 'failed']);

/** Submits a failed email again, as a new email to the recipients that bounced or failed. */
@Injectable()
export class RetryEmail {
  constructor(
    private readonly database: Database,
    private readonly intake: EmailIntake,
    private readonly contents: StoredContents,
  ) {}

  /**
   * The new email passes all checks of a submission: domain, suppressions and allowance.
   * @throws Refusal not_found; conflict (`not_retryable`); and the refusals of `EmailIntake.accept`.
   */
  async retry(by: RetryRequest, id: string): Promise<Accepted> {
    const request = await orRefusal(() => this.submission(by, id));
    return this.intake.accept(request, by.idempotency);
  }

  private async submission(by: RetryRequest, id: string): Promise<Submission> {
    const content = isId('em', id)
      ? (await storedContentsOf(this.database, this.contents, [by, [id]])).get(id)
      : undefined;
    if (content === undefined) throw new Refusal('not_found');
    const email = await this.read(id);
    const recipients = await recipientsOf(this.database, id);
    requireFailed(recipients);
    const failed = new Set(
      recipients.filter(({ status }) => FAILED.has(status)).map(({ address }) => normaliseAddress(address)),
    );
    const again = (stored: string[]): Mailbox[] =>
      stored.map(storedMailbox).filter(({ address }) => failed.has(normaliseAddress(address)));
    return {
      accountId: by.accountId,
      keyId: by.keyId,
      allowedDomains: by.domainIds,
      idempotency: by.idempotency,
      // The retry of a test email is a test email; a test key sees no other.
      mode: email.mode,
      source: 'rest',
      from: storedMailbox(email.sender),
      to: again(email.header_to),
      cc: again(email.header_cc),
      bcc: again(email.header_bcc),
      replyTo: email.reply_to.map(storedMailbox),
      subject: email.subject,
      tags: email.tags,
      content: submittedContent(content, email.message_id),
      scheduledAt: null,
      retryOf: id,
      ...(email.lifetime_seconds === null ? {} : { lifetimeSeconds: email.lifetime_seconds }),
      ...(email.sandbox_result === null ? {} : { sandboxResult: email.sandbox_result }),
      ...(email.unsubscribe === null ? {} : { unsubscribe: email.unsubscribe }),
      priority: email.priority,
      tracking: email.tracking ?? { opens: false, clicks: false },
    };
  }

  private async read(id: string): Promise<FailedEmailRow> {
    const { rows } = await this.database.query<FailedEmailRow>(
      `SELECT mode, sender, header_to, header_cc, header_bcc, reply_to, subject, tags, message_id, lifetime_seconds,
              sandbox_result, unsubscribe, tracking, priority
         FROM emails WHERE id = $1`,
      [id],
    );
    if (rows.length === 0) throw new Refusal('not_found');
    return rows[0];
  }
}

function submittedContent(content: StoredContent | null, messageId: string): Submission['content'] {
  if (content === null) throw notRetryable('is over 30 days old, its body is no longer kept');
  const { format, body } = content;
  return format === 'parts' ? decodeParts(body) : { format: 'mime', message: body, messageId };
}

function requireFailed(recipients: readonly RecipientRow[]): void {
  const open = recipients.find(({ status }) => !FINAL.has(status));
  if (open) throw notRetryable(`is still under way: one recipient is ${open.status}`);
  if (!recipients.some(({ status }) => FAILED.has(status)))
    throw notRetryable(`is ${recipients[0].status}: no recipient failed or bounced`);
}

const notRetryable = (why: string): Refusal =>
  new Refusal('conflict', [{ field: 'status', code: 'not_retryable', message: why }], `The email ${why}.`);
