import { Injectable } from '@nestjs/common';
import { isId, Refusal, type EmailStatus, type Mode } from '#libs/contracts';
import { normaliseAddress, type Mailbox } from '#libs/mime';
import { Database } from '#libs/persistence';
import { EmailIntake } from '../intake/email-intake.js';
import { decodeParts } from '../intake/stored-parts.js';
import type { Accepted, Idempotency, Submission } from '../intake/submission.js';
import type { StoredContent } from '../ledger/delivery-job.js';
import { recipientsOf, type RecipientRow } from '../recipient-row.js';
import { storedMailbox } from '../stored-mailbox.js';
import type { HostedUnsubscribe } from '../unsubscribe/hosted-unsubscribe.js';

/** Who asks for it: what a submission says of its key. */
export interface Retrier {
  keyId: string;
  mode: Mode;
  allowedDomains: ReadonlySet<string> | null;
  idempotency: Idempotency | null;
}

interface FailedMail {
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
  format: StoredContent['format'] | null;
  body: Buffer | null;
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

/** A mail that came to nothing is sent again, as a mail of its own, to those who did not get it. */
@Injectable()
export class EmailRetry {
  constructor(
    private readonly database: Database,
    private readonly intake: EmailIntake,
  ) {}

  /**
   * Through the same door as every mail: domain, suppressions and allowance are judged again.
   * @throws Refusal not_found; conflict (`not_retryable`); and what `EmailIntake.accept` throws.
   */
  async retry(accountId: string, id: string, by: Retrier): Promise<Accepted> {
    const mail = isId('em', id) ? await this.read(accountId, id) : null;
    if (mail === null) throw new Refusal('not_found');
    const recipients = await recipientsOf(this.database, id);
    requireFailed(recipients);
    const failed = new Set(
      recipients.filter(({ status }) => FAILED.has(status)).map(({ address }) => normaliseAddress(address)),
    );
    const again = (stored: string[]): Mailbox[] =>
      stored.map(storedMailbox).filter(({ address }) => failed.has(normaliseAddress(address)));
    return this.intake.accept({
      ...by,
      accountId,
      // A test key sends nothing, and a test mail stays one.
      mode: by.mode === 'test' ? 'test' : mail.mode,
      source: 'rest',
      from: storedMailbox(mail.sender),
      to: again(mail.header_to),
      cc: again(mail.header_cc),
      bcc: again(mail.header_bcc),
      replyTo: mail.reply_to.map(storedMailbox),
      subject: mail.subject,
      tags: mail.tags,
      content: contentOf(mail),
      scheduledAt: null,
      retryOf: id,
      ...(mail.lifetime_seconds === null ? {} : { lifetimeSeconds: mail.lifetime_seconds }),
      ...(mail.sandbox_result === null ? {} : { sandboxResult: mail.sandbox_result }),
      ...(mail.unsubscribe === null ? {} : { unsubscribe: mail.unsubscribe }),
    });
  }

  private async read(accountId: string, id: string): Promise<FailedMail | null> {
    const { rows } = await this.database.query<FailedMail>(
      `SELECT e.mode, e.sender, e.header_to, e.header_cc, e.header_bcc, e.reply_to, e.subject, e.tags, e.message_id,
              e.lifetime_seconds, e.sandbox_result, e.unsubscribe, c.format, c.body
         FROM emails e LEFT JOIN email_contents c ON c.email_id = e.id WHERE e.id = $1 AND e.account_id = $2`,
      [id, accountId],
    );
    return rows[0] ?? null;
  }
}

function contentOf({ format, body, message_id }: FailedMail): Submission['content'] {
  if (format === null || body === null) throw notRetryable('is over 30 days old, its body is no longer kept');
  return format === 'parts' ? decodeParts(body) : { format: 'mime', message: body, messageId: message_id };
}

function requireFailed(recipients: readonly RecipientRow[]): void {
  const open = recipients.find(({ status }) => !FINAL.has(status));
  if (open) throw notRetryable(`is still under way: one recipient is ${open.status}`);
  if (!recipients.some(({ status }) => FAILED.has(status)))
    throw notRetryable(`is ${recipients[0].status}: no recipient failed or bounced`);
}

const notRetryable = (why: string): Refusal =>
  new Refusal('conflict', [{ field: 'status', code: 'not_retryable', message: why }], `The e-mail ${why}.`);
