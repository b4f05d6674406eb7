import { Injectable } from '@nestjs/common';
import { DomainKeys } from '#libs/domains';
import { Config } from '#libs/kernel';
import { composeMessage, readMessageHead, replaceHtml, dkim, toSevenBit, type HtmlReplacement } from '#libs/mime';
import type { PartsContent } from './submitted-content.js';
import { decodeParts, storedMailbox } from './stored-parts.js';
import { StoredContents } from './content/stored-contents.js';
import type { DeliveryJob, StoredContent, Tracking } from './delivery-job.js';
import { OutgoingHeaders } from './outgoing-headers.js';
import { TrackedContent } from './tracking/tracked-content.js';

const CACHE_BYTES = 32 * 1024 * 1024;

/** Fields of an email that its composed message shows. */
export type MessageHead = Pick<
  DeliveryJob['email'],
  'id' | 'messageId' | 'releasedAt' | 'sender' | 'to' | 'cc' | 'replyTo' | 'subject'
>;

/**
 * Builds the message as sent: composed once per email, with the header fields of the job in front, signed, and equal at
 * every attempt except for the signature's time. A message for several recipient domains is composed for the first job
 * and kept for the others, within a byte limit.
 */
@Injectable()
export class MessageBuilder {
  private readonly composed = new Map<string, Buffer>();
  private composedBytes = 0;
  /** The jobs of one email start together: the first one composes for all. */
  private readonly composing = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly keys: DomainKeys,
    private readonly config: Config,
    private readonly outgoingHeaders: OutgoingHeaders,
    private readonly trackedContent: TrackedContent,
    private readonly contents: StoredContents,
  ) {}

  /** The content of a job; null once it is deleted. @throws Refusal `service_unavailable` while it cannot be read */
  stored(job: DeliveryJob): Promise<StoredContent | null> {
    return this.contents.ofJob(job);
  }

  /** @throws if the stored parts or the keys of the domain cannot be read. */
  async build(job: DeliveryJob, content: StoredContent): Promise<Buffer[]> {
    const rest = await this.message(job, content);
    return await this.pieces(job, content.format, { fields: this.outgoingHeaders.build(job), rest });
  }

  /** For servers without 8BITMIME; null if the message cannot be converted. Throws like `build`. */
  async sevenBit(job: DeliveryJob, content: StoredContent): Promise<Buffer[] | null> {
    const rest = await this.message(job, content);
    const message = toSevenBit(Buffer.concat([Buffer.from(this.outgoingHeaders.build(job)), rest]));
    return message && (await this.pieces(job, content.format, { fields: '', rest: message }));
  }

  /** The message without the fields of the job, with the tracking links of its recipient. */
  private async message(job: DeliveryJob, content: StoredContent): Promise<Buffer> {
    if (job.email.tracking === null) return content.format === 'mime' ? content.body : this.compose(job, content);
    if (content.format === 'mime') {
      const head = readMessageHead(content.body);
      const fields = 'problem' in head ? [] : head.fields.map(({ key, value }) => [key, value] as const);
      return replaceHtml(content.body, await this.replacement(job, job.email.tracking, fields));
    }
    const parts = decodeParts(content.body);
    return composeParts(job.email, parts, await this.replacement(job, job.email.tracking, parts.headers));
  }

  private replacement(
    job: DeliveryJob,
    tracking: Tracking,
    headers: readonly (readonly [name: string, value: string])[],
  ): Promise<HtmlReplacement> {
    const fields = headers.filter(([name]) => name.toLowerCase() === 'list-unsubscribe');
    return this.trackedContent.replacement(
      job,
      tracking,
      fields.map(([, value]) => value),
    );
  }

  /** The pieces are not joined: copying a large body is expensive. */
  private async pieces(
    job: DeliveryJob,
    format: StoredContent['format'],
    { fields, rest }: { fields: string; rest: Buffer },
  ): Promise<Buffer[]> {
    // Trace fields come first (RFC 5321 §4.4) and are not signed, as every server adds one.
    const trace = format === 'mime' ? this.outgoingHeaders.received(job) : '';
    if (!this.config.settings.DKIM_SIGNING) return [Buffer.from(trace + fields), rest];
    const front = Buffer.from(fields);
    const signatures = await dkim.sign({ front, rest }, await this.keys.signingKeys(job.email.domainId), new Date());
    return [Buffer.concat([Buffer.from(trace), signatures, front]), rest];
  }

  private compose({ email }: DeliveryJob, content: StoredContent): Promise<Buffer> {
    const kept = this.composed.get(email.id);
    if (kept) return Promise.resolve(kept);
    const underWay = this.composing.get(email.id);
    if (underWay) return underWay;
    const composing = composeParts(email, decodeParts(content.body), null)
      .then((message) => {
        if (email.recipientCount > 1) this.keep(email.id, message);
        return message;
      })
      .finally(() => this.composing.delete(email.id));
    this.composing.set(email.id, composing);
    return composing;
  }

  private keep(id: string, message: Buffer): void {
    this.composed.set(id, message);
    this.composedBytes += message.length;
    for (const [oldest, bytes] of this.composed) {
      if (this.composedBytes <= CACHE_BYTES) break;
      this.composed.delete(oldest);
      this.composedBytes -= bytes.length;
    }
  }
}

/** The message without what delivery adds: signatures, tracking links, and the fields of a job. */
export async function storedMessage(head: MessageHead, content: StoredContent): Promise<Buffer> {
  return content.format === 'mime' ? content.body : composeParts(head, decodeParts(content.body), null);
}

async function composeParts(
  head: MessageHead,
  { html: submitted, text, headers, attachments }: PartsContent,
  replacement: HtmlReplacement | null,
): Promise<Buffer> {
  const html = submitted !== undefined && replacement !== null ? await replacement(submitted, true) : submitted;
  return composeMessage({
    messageId: head.messageId,
    date: head.releasedAt,
    from: storedMailbox(head.sender),
    to: head.to.map(storedMailbox),
    cc: head.cc.map(storedMailbox),
    replyTo: head.replyTo.map(storedMailbox),
    subject: head.subject,
    ...(html === undefined ? {} : { html }),
    ...(text === undefined ? {} : { text }),
    headers,
    attachments,
    boundarySeed: head.id,
  });
}
