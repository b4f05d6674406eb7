import type { EmailStatus, RoutedEvent } from '#libs/contracts';
import { isoTime } from '#libs/kernel';
import { domainOf, normaliseAddress, type Mailbox } from '#libs/mime';
import { emailEvent, type MailFacts } from '../email-events.js';
import { aggregateStatus, lastEventOf } from '../email-status.js';
import type { DeliveryJob, StoredContent } from '../ledger/delivery-job.js';
import { searchKey } from '../search-key.js';
import type { MailRows } from './insert-mails.js';
import { withoutRepetitions, type Recipient } from './recipients.js';
import { sizeOf } from './submission-size.js';
import { encodeParts } from './stored-parts.js';
import type { Submission } from './submission.js';

/** A mail between the checks and the commit. */
export interface Draft {
  mail: DeliveryJob['mail'];
  content: StoredContent;
  recipients: Recipient[];
  submission: Submission;
  dueAt: Date;
  expiresAt: Date;
}

export function draftOf(
  submission: Submission,
  of: { id: string; domainId: string; recipients: Recipient[]; lifetimeMs: number },
): Draft {
  const { id } = of;
  const { to, cc } = withoutRepetitions(submission);
  const createdAt = new Date();
  const dueAt = submission.scheduledAt ?? createdAt;
  const lifetimeMs = submission.lifetimeSeconds === undefined ? of.lifetimeMs : submission.lifetimeSeconds * 1_000;
  return {
    mail: {
      id,
      accountId: submission.accountId,
      domainId: of.domainId,
      test: submission.mode === 'test',
      sandboxResult: submission.sandboxResult ?? null,
      unsubscribe: submission.unsubscribe ?? null,
      sender: show(submission.from),
      to: to.map(show),
      cc: cc.map(show),
      replyTo: submission.replyTo.map(show),
      subject: submission.subject,
      tags: submission.tags,
      messageId: messageIdOf(submission, id),
      createdAt,
      recipientCount: of.recipients.length,
      // Each recipient's first event is written with the mail.
      sequence: of.recipients.length,
      releasedAt: dueAt,
    },
    content:
      submission.content.format === 'mime'
        ? { format: 'mime', body: submission.content.message }
        : { format: 'parts', body: encodeParts(submission.content) },
    recipients: of.recipients,
    submission,
    dueAt,
    expiresAt: new Date(dueAt.getTime() + lifetimeMs),
  };
}

const show = (mailbox: Mailbox): string => (mailbox.name ? `${mailbox.name} <${mailbox.address}>` : mailbox.address);

/** RFC 5322 §3.6.4: globally unique; the id's UUID on the left, the sender's domain on the right. */
const messageIdOf = (submission: Submission, id: string): string =>
  submission.content.format === 'mime'
    ? submission.content.messageId
    : `<${id.slice(3)}@${domainOf(submission.from.address)}>`;

/**
 * The jobs of a mail that is due now: one per recipient domain, or per recipient where each has a link of his own. Nobody
 * who is suppressed is in them.
 */
export function jobsOf({ mail, content, recipients, expiresAt }: Draft): DeliveryJob[] {
  const jobs = new Map<string, DeliveryJob>();
  recipients.forEach((recipient, ordinal) => {
    if (recipient.suppressed !== null) return;
    const domain = domainOf(recipient.address);
    const key = mail.unsubscribe === null ? domain : String(ordinal);
    const job = jobs.get(key) ?? { mail, domain, recipients: [], life: 0, content, reservedBytes: 0 };
    jobs.set(key, job);
    job.recipients.push({
      ordinal,
      address: recipient.address,
      attempts: 0,
      fence: 1,
      expiresAt,
      previousEnhanced: null,
    });
  });
  return [...jobs.values()];
}

/** What the accept transaction writes for this mail; `workerId` claims its recipients for delivery in this process. */
export function rowsOf(draft: Draft, units: number, workerId: string | null): MailRows {
  const { mail, content, recipients, submission } = draft;
  const waiting: EmailStatus = submission.scheduledAt ? 'scheduled' : 'queued';
  const statuses = recipients.map((recipient) => (recipient.suppressed === null ? waiting : 'suppressed'));
  const status = aggregateStatus(statuses);
  const createdAt = isoTime(mail.createdAt);
  return {
    id: mail.id,
    content,
    email: {
      id: mail.id,
      account_id: mail.accountId,
      domain_id: mail.domainId,
      mode: submission.mode,
      source: submission.source,
      status,
      last_event: lastEventOf(status),
      direct: workerId !== null,
      sender: mail.sender,
      sender_address: normaliseAddress(submission.from.address),
      header_to: mail.to,
      header_cc: mail.cc,
      header_bcc: withoutRepetitions(submission).bcc.map(show),
      reply_to: mail.replyTo,
      subject: mail.subject,
      tags: mail.tags,
      message_id: mail.messageId,
      size: sizeOf(submission),
      recipient_count: recipients.length,
      units,
      sequence: mail.sequence,
      created_at: createdAt,
      updated_at: createdAt,
      // What is not there is not written out: it is read as NULL.
      scheduled_at: submission.scheduledAt ?? undefined,
      lifetime_seconds: submission.lifetimeSeconds,
      sandbox_result: mail.sandboxResult ?? undefined,
      unsubscribe: mail.unsubscribe ?? undefined,
      retry_of: submission.retryOf,
    },
    tags: Object.entries(mail.tags).map(([key, value]) => ({
      account_id: mail.accountId,
      key,
      value,
      email_id: mail.id,
    })),
    recipients: recipients.map((recipient, ordinal) => recipientRow(draft, { recipient, ordinal, workerId, waiting })),
    events: recipients.map((recipient, i) =>
      acceptedEvent(mail, recipient, { at: submission.scheduledAt, number: i + 1 }),
    ),
  };
}

function recipientRow(
  { mail, dueAt, expiresAt }: Draft,
  of: { recipient: Recipient; ordinal: number; workerId: string | null; waiting: EmailStatus },
): Record<string, unknown> {
  const { recipient, ordinal, workerId, waiting } = of;
  const left = recipient.suppressed !== null;
  const claimedBy = left ? null : workerId;
  return {
    email_id: mail.id,
    ordinal,
    address: recipient.address,
    domain: domainOf(recipient.address),
    search_key: searchKey(mail.accountId, recipient.normal),
    type: recipient.type,
    status: left ? 'suppressed' : waiting,
    due_at: left ? null : isoTime(dueAt),
    expires_at: isoTime(expiresAt),
    claimed_by: claimedBy,
    fence: claimedBy === null ? 0 : 1,
    // What is due and not handed over stands in its domain's line at once.
    ripe: left || claimedBy !== null || waiting === 'scheduled' ? undefined : true,
  };
}

function acceptedEvent(
  mail: MailFacts,
  recipient: Recipient,
  scheduled: { at: Date | null; number: number },
): RoutedEvent {
  const [sequence, at, address] = [scheduled.number, mail.createdAt, recipient.address];
  if (recipient.suppressed !== null) {
    const { suppressed: reason } = recipient;
    const suppressed = { type: reason, message: 'The address is on the suppression list.' };
    const added = { reason, suppressed };
    return emailEvent(mail, { type: 'email.suppressed', recipient: address, sequence, at, added });
  }
  if (scheduled.at === null)
    return emailEvent(mail, { type: 'email.queued', recipient: address, sequence, at, added: {} });
  const added = { scheduled_at: scheduled.at.toISOString() };
  return emailEvent(mail, { type: 'email.scheduled', recipient: address, sequence, at, added });
}
