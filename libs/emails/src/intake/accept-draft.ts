import type { EmailStatus, RoutedEvent } from '#libs/contracts';
import type { ActiveDomain } from '#libs/domains';
import { domainOf, normaliseAddress, type Mailbox } from '#libs/mime';
import { emailEvent, type EmailInfo } from '../message/email-events.js';
import { aggregateStatus, lastEventOf } from '../message/email-status.js';
import type { DeliveryJob, StoredContent, Tracking } from '../message/delivery-job.js';
import { domainKey, searchKey, withoutDuplicates, type Recipient } from './recipients.js';
import type { EmailRows } from './insert-emails.js';
import { sizeOf } from './submission-size.js';
import { encodeParts } from '../message/stored-parts.js';
import type { Submission } from './submission.js';
import { databaseClock, tracing } from '#libs/kernel';

/** An email between the checks and the commit. */
export interface Draft {
  email: DeliveryJob['email'];
  content: StoredContent;
  recipients: Recipient[];
  submission: Submission;
  /** Each recipient has a delivery job of its own. */
  separateEnvelopes: boolean;
  dueAt: Date;
  expiresAt: Date;
}

export function draftOf(
  submission: Submission,
  of: {
    id: string;
    domain: Pick<ActiveDomain, 'id' | 'envelope'>;
    tracking: Tracking | null;
    recipients: Recipient[];
    lifetimeMs: number;
  },
): Draft {
  const { id } = of;
  const { to, cc } = withoutDuplicates(submission);
  const createdAt = databaseClock.date();
  const dueAt = submission.scheduledAt ?? createdAt;
  const lifetimeMs = submission.lifetimeSeconds === undefined ? of.lifetimeMs : submission.lifetimeSeconds * 1_000;
  return {
    email: {
      id,
      accountId: submission.accountId,
      domainId: of.domain.id,
      apiKeyId: submission.keyId,
      test: submission.mode === 'test',
      sandboxResult: submission.sandboxResult ?? null,
      unsubscribe: submission.unsubscribe ?? null,
      tracking: of.tracking,
      sender: formatMailbox(submission.from),
      to: to.map(formatMailbox),
      cc: cc.map(formatMailbox),
      replyTo: submission.replyTo.map(formatMailbox),
      subject: submission.subject,
      tags: submission.tags,
      messageId: messageIdOf(submission, id),
      createdAt,
      recipientCount: of.recipients.length,
      // The first event of each recipient is written with the email.
      sequence: of.recipients.length,
      releasedAt: dueAt,
      traceContext: tracing.context(),
    },
    content:
      submission.content.format === 'mime'
        ? { format: 'mime', body: submission.content.message }
        : { format: 'parts', body: encodeParts(submission.content) },
    recipients: of.recipients,
    submission,
    separateEnvelopes:
      of.domain.envelope === 'per_recipient' || submission.unsubscribe !== undefined || of.tracking !== null,
    dueAt,
    expiresAt: new Date(dueAt.getTime() + lifetimeMs),
  };
}

const formatMailbox = (mailbox: Mailbox): string =>
  mailbox.name ? `${mailbox.name} <${mailbox.address}>` : mailbox.address;

/** RFC 5322 §3.6.4: globally unique; the UUID of the id on the left, the sender's domain on the right. */
const messageIdOf = (submission: Submission, id: string): string =>
  submission.content.format === 'mime'
    ? submission.content.messageId
    : `<${id.slice(3)}@${domainOf(submission.from.address)}>`;

/**
 * Returns the delivery jobs of an email that is due now: one per recipient domain, or one per recipient if each has an
 * unsubscribe link, tracking links or an envelope of its own. Suppressed recipients are left out.
 */
export function jobsOf(draft: Draft, weight: number): DeliveryJob[] {
  const { email, content, recipients, expiresAt, separateEnvelopes } = draft;
  const isBulk = draft.submission.priority === 'bulk';
  const jobs = new Map<string, DeliveryJob>();
  recipients.forEach((recipient, ordinal) => {
    if (recipient.suppressed !== null) return;
    const domain = domainOf(recipient.address);
    const key = separateEnvelopes ? String(ordinal) : domain;
    const job = jobs.get(key) ?? { email, domain, weight, isBulk, recipients: [], epoch: 0, content, reservedBytes: 0 };
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

/** The rows of this email in the accept transaction. `workerId` claims its recipients for delivery in this process. */
export function rowsOf(draft: Draft, units: number, workerId: string | null): EmailRows {
  const { email, content, recipients, submission } = draft;
  const domains = recipients.map(({ address }) => domainOf(address));
  const waiting: EmailStatus = submission.scheduledAt ? 'scheduled' : 'queued';
  const statuses = recipients.map((recipient) => (recipient.suppressed === null ? waiting : 'suppressed'));
  const status = aggregateStatus(statuses);
  const createdAt = email.createdAt.toISOString();
  return {
    id: email.id,
    content,
    place: null,
    email: {
      id: email.id,
      account_id: email.accountId,
      domain_id: email.domainId,
      api_key_id: email.apiKeyId ?? undefined,
      mode: submission.mode,
      source: submission.source,
      status,
      last_event: lastEventOf(status),
      claimed_on_accept: workerId !== null,
      sender: email.sender,
      sender_address: normaliseAddress(submission.from.address),
      header_to: email.to,
      header_cc: email.cc,
      header_bcc: withoutDuplicates(submission).bcc.map(formatMailbox),
      reply_to: email.replyTo,
      subject: email.subject,
      tags: email.tags,
      message_id: email.messageId,
      size: sizeOf(submission),
      recipient_count: recipients.length,
      units,
      sequence: email.sequence,
      created_at: createdAt,
      updated_at: createdAt,
      // Absent fields are omitted from the JSON and read as NULL.
      scheduled_at: submission.scheduledAt ?? undefined,
      lifetime_seconds: submission.lifetimeSeconds,
      sandbox_result: email.sandboxResult ?? undefined,
      unsubscribe: email.unsubscribe ?? undefined,
      tracking: email.tracking ?? undefined,
      retry_of: submission.retryOf,
      is_login_mail: submission.isLoginMail === true,
      priority: submission.priority ?? 'transactional',
      trace_context: email.traceContext ?? undefined,
    },
    tags: tagRows(email),
    recipients: recipients.map((recipient, ordinal) =>
      recipientRow(draft, { recipient, ordinal, domains, workerId, waiting }),
    ),
    events: recipients.map((recipient, i) =>
      acceptedEvent(email, recipient, { at: submission.scheduledAt, number: i + 1 }),
    ),
  };
}

const tagRows = ({ id, accountId, tags }: Draft['email']): EmailRows['tags'] =>
  Object.entries(tags).map(([key, value]) => ({ account_id: accountId, key, value, email_id: id }));

function recipientRow(
  { email, submission, dueAt, expiresAt }: Draft,
  of: {
    recipient: Recipient;
    ordinal: number;
    domains: readonly string[];
    workerId: string | null;
    waiting: EmailStatus;
  },
): Record<string, unknown> {
  const { recipient, ordinal, domains, workerId, waiting } = of;
  const domain = domains[ordinal];
  const left = recipient.suppressed !== null;
  const claimedBy = left ? null : workerId;
  return {
    account_id: email.accountId,
    email_id: email.id,
    ordinal,
    address: recipient.address,
    domain,
    search_key: searchKey(email.accountId, recipient.normalised),
    // Once per domain of the message.
    domain_key: domains.indexOf(domain) === ordinal ? domainKey(email.accountId, domain) : undefined,
    type: recipient.type,
    status: left ? 'suppressed' : waiting,
    due_at: left ? null : dueAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    claimed_by: claimedBy,
    fence: claimedBy === null ? 0 : 1,
    // Due recipients that this process does not claim are available to every worker at once.
    is_bulk: submission.priority === 'bulk',
    is_due: left || claimedBy !== null || waiting === 'scheduled' ? undefined : true,
  };
}

function acceptedEvent(
  email: EmailInfo,
  recipient: Recipient,
  scheduled: { at: Date | null; number: number },
): RoutedEvent {
  const [sequence, at, address] = [scheduled.number, email.createdAt, recipient.address];
  if (recipient.suppressed !== null) {
    const { suppressed: reason } = recipient;
    const suppressed = { type: reason, message: 'The address is on the suppression list.' };
    const added = { reason, suppressed };
    return emailEvent(email, { type: 'email.suppressed', recipient: address, sequence, at, added });
  }
  if (scheduled.at === null)
    return emailEvent(email, { type: 'email.queued', recipient: address, sequence, at, added: {} });
  const added = { scheduled_at: scheduled.at.toISOString() };
  return emailEvent(email, { type: 'email.scheduled', recipient: address, sequence, at, added });
}
