import { Injectable } from '@nestjs/common';
import { DomainKeys } from '#libs/domains';
import { Config } from '#libs/kernel';
import { composeMessage, signDkim, toSevenBit } from '#libs/mime';
import { decodeParts } from './intake/stored-parts.js';
import type { DeliveryJob, StoredContent } from './ledger/delivery-job.js';
import { OutgoingFields } from './outgoing-fields.js';
import { storedMailbox } from './stored-mailbox.js';

const CACHE_BYTES = 32 * 1024 * 1024;

/**
 * The bytes that go out: composed once per mail, with the fields of this transaction in front, signed, and equal at every
 * attempt but for the signature's time.
 * A mail for several recipient domains is composed for the first of them and kept for the others, within a byte bound.
 */
@Injectable()
export class MailMessage {
  private readonly composed = new Map<string, Buffer>();
  private composedBytes = 0;
  /** The jobs of one mail come together: the first composes for all. */
  private readonly composing = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly keys: DomainKeys,
    private readonly config: Config,
    private readonly fields: OutgoingFields,
  ) {}

  /** @throws when stored parts do not read or the domain's keys do not open. */
  async bytes(job: DeliveryJob, content: StoredContent): Promise<Buffer[]> {
    const rest = content.format === 'mime' ? content.body : await this.compose(job, content);
    return await this.pieces(job, content.format, { fields: this.fields.of(job, rest), rest });
  }

  /** For servers that take seven bits only; null where the mail cannot be had so. Throws as `bytes` does. */
  async sevenBit(job: DeliveryJob, content: StoredContent): Promise<Buffer[] | null> {
    const rest = content.format === 'mime' ? content.body : await this.compose(job, content);
    const message = toSevenBit(Buffer.concat([Buffer.from(this.fields.of(job, rest)), rest]));
    return message && (await this.pieces(job, content.format, { fields: '', rest: message }));
  }

  /** Never joined, the body as it is: a copy of a large one is dear. */
  private async pieces(
    job: DeliveryJob,
    format: StoredContent['format'],
    { fields, rest }: { fields: string; rest: Buffer },
  ): Promise<Buffer[]> {
    // On top of everything, RFC 5321 §4.4; not signed, as every server adds one.
    const trace = format === 'mime' ? this.fields.received(job) : '';
    if (!this.config.settings.DKIM_SIGNING) return [Buffer.from(trace + fields), rest];
    const front = Buffer.from(fields);
    const signatures = await signDkim({ front, rest }, await this.keys.signingKeys(job.mail.domainId), new Date());
    return [Buffer.concat([Buffer.from(trace), signatures, front]), rest];
  }

  private compose({ mail }: DeliveryJob, content: StoredContent): Promise<Buffer> {
    const kept = this.composed.get(mail.id);
    if (kept) return Promise.resolve(kept);
    const underWay = this.composing.get(mail.id);
    if (underWay) return underWay;
    const composing = composeFrom(mail, content.body)
      .then((message) => {
        if (mail.recipientCount > 1) this.keep(mail.id, message);
        return message;
      })
      .finally(() => this.composing.delete(mail.id));
    this.composing.set(mail.id, composing);
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

async function composeFrom(head: DeliveryJob['mail'], body: Buffer): Promise<Buffer> {
  const { html, text, headers, attachments } = decodeParts(body);
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
