import { Injectable } from '@nestjs/common';
import { LIMITS, newId, Refusal, type RecipientType, type RefusalDetail, type RoutedEvent } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { Config, Shutdown, Wakeups } from '#libs/kernel';
import { domainOf, normaliseAddress, type Mailbox } from '#libs/mime';
import { Database, GroupCommit } from '#libs/persistence';
import { SuppressionList } from '#libs/suppressions';
import { emailEvent, type MailFacts } from '../email-events.js';
import { HandOff } from '../hand-off.js';
import type { DeliveryJob, StoredContent } from '../ledger/delivery-job.js';
import { AcceptWriter, type AcceptItem } from './accept-writer.js';
import { forbiddenAttachments } from './attachment-rules.js';
import { encodeParts } from './stored-parts.js';
import type { Accepted, Submission } from './submission.js';

interface Recipient {
  /** As it goes into the envelope: the local part keeps its case (RFC 5321 §2.4). */
  address: string;
  /** As the suppression list knows it. */
  normal: string;
  type: RecipientType;
  /** `to[3]`: where the caller wrote it. */
  field: string;
}

/** An answer of the suppression list that the door got this recently is not asked for again. */
const FRESH_ANSWER_MS = 1_000;
const GROUP_ITEMS = 128;
const GROUP_BYTES = 4 * 1024 * 1024;

/**
 * The one door into the service: REST, façade and SMTP all end here. Each step may refuse; the answer is given only
 * after the commit is on disk.
 */
@Injectable()
export class EmailIntake {
  private readonly group: GroupCommit<{ item: AcceptItem; reservation: Reservation }, Accepted>;
  private readonly lifetimeMs: number;

  constructor(
    database: Database,
    config: Config,
    shutdown: Shutdown,
    private readonly wakeups: Wakeups,
    private readonly domains: SendingDomains,
    private readonly suppressions: SuppressionList,
    private readonly handOff: HandOff,
  ) {
    const writer = new AcceptWriter(database);
    this.lifetimeMs = config.settings.DELIVERY_LIFETIME;
    this.group = new GroupCommit({
      commit: (entries) => writer.commit(entries.map((entry) => entry.item)),
      maxItems: GROUP_ITEMS,
      maxBytes: GROUP_BYTES,
      sizeOf: (entry) => entry.item.content.body.length,
    });
    shutdown.on('intake', 'accept', () => this.group.drained());
  }

  /**
   * Accepts a mail durably.
   * @throws Refusal: domain (422), attachments and size (422), suppression (422), idempotency (409), store down (503).
   */
  async accept(submission: Submission): Promise<Accepted> {
    const domainId = await this.requireActiveDomain(submission);
    this.requireAllowedContent(submission);
    const recipients = distinctRecipients(submission);
    await this.requireNobodySuppressed(submission, recipients);
    return this.commit(submission, domainId, recipients);
  }

  private async requireActiveDomain(submission: Submission): Promise<string> {
    const name = domainOf(submission.from.address);
    const domain = await this.domains.active(submission.accountId, name);
    if (domain) return domain.id;
    throw new Refusal(
      'sender_domain_not_verified',
      [
        {
          field: 'from',
          code: 'domain_not_verified',
          message: `must have an address at a verified domain of this account; ${name} is not one`,
        },
      ],
      `The domain ${name} is not verified for this account. Add it and publish its SPF, DKIM and DMARC records first.`,
    );
  }

  private requireAllowedContent(submission: Submission): void {
    if (submission.content.format === 'parts') {
      const problems = forbiddenAttachments(submission.content.attachments);
      if (problems.length > 0)
        throw new Refusal(
          'attachment_not_allowed',
          problems.map((p) => ({ field: `attachments${p.path}`, code: p.code, message: p.message })),
        );
    }
    if (
      submission.content.format === 'parts' &&
      submission.replyTo.length > 0 &&
      submission.content.headers.some(([name]) => name.toLowerCase() === 'reply-to')
    )
      throw new Refusal('validation_error', [
        { field: 'headers.Reply-To', code: 'duplicate', message: 'must not be set together with reply_to' },
      ]);
    if (sizeOf(submission) > LIMITS.messageBytes)
      throw new Refusal('message_too_large', [
        { field: '', code: 'too_large', message: `must have at most ${LIMITS.messageBytes} bytes in all` },
      ]);
  }

  private async requireNobodySuppressed(submission: Submission, recipients: Recipient[]): Promise<void> {
    if (performance.now() - (submission.suppressionsAskedAt ?? -Infinity) < FRESH_ANSWER_MS) return;
    const found = await this.suppressions.matching(
      submission.accountId,
      recipients.map((r) => r.normal),
    );
    if (found.size === 0) return;
    const details: RefusalDetail[] = recipients
      .filter((r) => found.has(r.normal))
      .map((r) => ({
        field: r.field,
        code: 'suppressed',
        message: `${r.address} is on the suppression list (${found.get(r.normal)})`,
      }));
    throw new Refusal('recipient_suppressed', details);
  }

  private async commit(submission: Submission, domainId: string, recipients: Recipient[]): Promise<Accepted> {
    const draft = this.draft(submission, domainId, recipients);
    const reservation = this.reserve(submission, draft);
    try {
      const accepted = await this.group.add({ item: toItem(submission, draft, reservation.workerId), reservation });
      if (accepted.replayed) reservation.release();
      else reservation.deliver();
      this.wakeups.ring('outbox');
      return accepted;
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  private draft(submission: Submission, domainId: string, recipients: Recipient[]): Draft {
    const id = newId('em');
    const createdAt = new Date();
    const dueAt = submission.scheduledAt ?? createdAt;
    const mail: Draft['mail'] = {
      id,
      accountId: submission.accountId,
      domainId,
      test: submission.mode === 'test',
      sender: show(submission.from),
      to: submission.to.map(show),
      cc: submission.cc.map(show),
      replyTo: submission.replyTo.map(show),
      subject: submission.subject,
      tags: submission.tags,
      messageId: messageIdOf(submission, id),
      createdAt,
      recipientCount: recipients.length,
      releasedAt: dueAt,
    };
    const content: StoredContent =
      submission.content.format === 'mime'
        ? { format: 'mime', body: submission.content.message }
        : { format: 'parts', body: encodeParts(submission.content) };
    return { mail, content, recipients, dueAt, expiresAt: new Date(dueAt.getTime() + this.lifetimeMs) };
  }

  /** Room in the hand-off for mail that is due now; scheduled mail waits in the database. */
  private reserve(submission: Submission, draft: Draft): Reservation {
    if (submission.scheduledAt) return NOT_RESERVED;
    const jobs = toJobs(draft);
    const worker = this.handOff.reserve(jobs.length, draft.content.body.length);
    if (worker === null)
      return { workerId: null, release: () => undefined, deliver: () => this.wakeups.ring('due-mail') };
    // The first job carries the weight of the body; the others share it.
    for (const job of jobs) job.life = worker.life;
    jobs[0].reservedBytes = draft.content.body.length;
    return {
      workerId: worker.id,
      release: () => this.handOff.cancel(jobs.length, draft.content.body.length),
      deliver: () => this.handOff.push(jobs),
    };
  }
}

interface Draft {
  mail: DeliveryJob['mail'];
  content: StoredContent;
  recipients: Recipient[];
  dueAt: Date;
  expiresAt: Date;
}

interface Reservation {
  workerId: string | null;
  release: () => void;
  deliver: () => void;
}
const NOT_RESERVED: Reservation = { workerId: null, release: () => undefined, deliver: () => undefined };

const show = (mailbox: Mailbox): string => (mailbox.name ? `${mailbox.name} <${mailbox.address}>` : mailbox.address);

/** RFC 5322 §3.6.4: globally unique; the id's UUID on the left, the sender's domain on the right. */
const messageIdOf = (submission: Submission, id: string): string =>
  submission.content.format === 'mime'
    ? submission.content.messageId
    : `<${id.slice(3)}@${domainOf(submission.from.address)}>`;

/** To, Cc and Bcc without repetitions; the first place of an address counts (D-13). */
function distinctRecipients(submission: Submission): Recipient[] {
  const seen = new Set<string>();
  const result: Recipient[] = [];
  for (const type of ['to', 'cc', 'bcc'] as const) {
    submission[type].forEach((mailbox, i) => {
      const normal = normaliseAddress(mailbox.address);
      if (seen.has(normal)) return;
      seen.add(normal);
      result.push({ address: mailbox.address, normal, type, field: `${type}[${i}]` });
    });
  }
  return result;
}

/** details §3: decoded files + html + text + subject + names and values of custom headers. Over SMTP the raw bytes. */
function sizeOf({ content, subject }: Submission): number {
  if (content.format === 'mime') return content.message.length;
  const files = content.attachments.reduce((sum, file) => sum + file.content.length, 0);
  const headers = content.headers.reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  );
  return (
    files +
    headers +
    Buffer.byteLength(content.html ?? '') +
    Buffer.byteLength(content.text ?? '') +
    Buffer.byteLength(subject)
  );
}

function toJobs({ mail, content, recipients, expiresAt }: Draft): DeliveryJob[] {
  const jobs = new Map<string, DeliveryJob>();
  recipients.forEach((recipient, ordinal) => {
    const domain = domainOf(recipient.address);
    let job = jobs.get(domain);
    if (!job) {
      job = {
        mail,
        domain,
        recipients: [],
        life: 0,
        content,
        reservedBytes: 0,
      };
      jobs.set(domain, job);
    }
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

function toItem(submission: Submission, draft: Draft, workerId: string | null): AcceptItem {
  const { mail, content, recipients, dueAt, expiresAt } = draft;
  const status = submission.scheduledAt ? 'scheduled' : 'queued';
  return {
    id: mail.id,
    content,
    idempotency: submission.idempotency,
    email: {
      id: mail.id,
      account_id: mail.accountId,
      domain_id: mail.domainId,
      mode: submission.mode,
      source: submission.source,
      status,
      last_event: status,
      sender: mail.sender,
      header_to: submission.to.map(show),
      header_cc: submission.cc.map(show),
      header_bcc: submission.bcc.map(show),
      reply_to: submission.replyTo.map(show),
      subject: mail.subject,
      tags: mail.tags,
      message_id: mail.messageId,
      size: sizeOf(submission),
      recipient_count: recipients.length,
      sequence: recipients.length,
      created_at: mail.createdAt,
      updated_at: mail.createdAt,
      scheduled_at: submission.scheduledAt,
    },
    recipients: recipients.map((recipient, ordinal) => ({
      email_id: mail.id,
      ordinal,
      address: recipient.address,
      domain: domainOf(recipient.address),
      type: recipient.type,
      status,
      due_at: dueAt,
      expires_at: expiresAt,
      claimed_by: workerId,
      fence: workerId === null ? 0 : 1,
    })),
    events: recipients.map((recipient, i) =>
      acceptedEvent(mail, submission.scheduledAt, { recipient: recipient.address, sequence: i + 1 }),
    ),
  };
}

function acceptedEvent(
  mail: MailFacts,
  scheduledAt: Date | null,
  of: { recipient: string; sequence: number },
): RoutedEvent {
  const common = { ...of, at: mail.createdAt };
  return scheduledAt
    ? emailEvent(mail, {
        ...common,
        type: 'email.scheduled',
        added: { scheduled_at: scheduledAt.toISOString() },
      })
    : emailEvent(mail, { ...common, type: 'email.queued', added: {} });
}
