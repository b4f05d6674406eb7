import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { headerFields } from '#libs/mime';
import type { DeliveryJob } from './delivery-job.js';
import { NOTICE_TAG } from './system-mail-kinds.js';
import type { RecipientRef } from './recipient-token.js';
import { ReturnPath, transactionOf } from './return-path.js';
import { UnsubscribeLink } from './unsubscribe-link.js';

/**
 * Last part of Feedback-ID, which identifies the sender: 5 to 15 characters, equal in all messages of this software.
 */
const FEEDBACK_SENDER = 'postloft';
/**
 * Tags that identify a kind of email. Other tags are nearly unique, and a complaint rate needs many emails of one kind.
 */
const FEEDBACK_TAGS = ['campaign', 'category'];
/** Random hex digits of an id, enough to distinguish domains and accounts. */
const SHORT_ID_DIGITS = 12;

/**
 * Builds the header fields added in front of a message at delivery, for composed and relayed messages alike; the
 * message itself stays unchanged. They identify the transaction, so they are built per job, and they are signed with
 * the message.
 */
@Injectable()
export class OutgoingHeaders {
  /** The first line of the Received field. */
  private readonly receivedBy: string;

  constructor(
    private readonly returnPath: ReturnPath,
    private readonly unsubscribeLink: UnsubscribeLink,
    config: Config,
  ) {
    this.receivedBy = headerFields.writeStructured(
      'Received',
      `by smtp.${config.settings.SERVICE_DOMAIN} with ESMTPSA`,
    );
  }

  /** Complete fields, each ended by CRLF. */
  build(job: Pick<DeliveryJob, 'email' | 'recipients'>): string {
    const { email } = job;
    const transaction = transactionOf(job);
    const unsubscribe = email.unsubscribe === null ? '' : this.unsubscribe(transaction, email.unsubscribe.mailto);
    return (
      unsubscribe +
      headerFields.writeStructured('Feedback-ID', feedbackId(email)) +
      headerFields.writeStructured('X-Postloft-Ref', this.returnPath.trace(transaction))
    );
  }

  /**
   * The Received field of a relayed message (RFC 5321 §4.4, protocol keyword of RFC 3848). It does not disclose the
   * client. Messages of the service itself have none. Equal at every attempt.
   */
  received({ email }: Pick<DeliveryJob, 'email'>): string {
    if (NOTICE_TAG in email.tags) return '';
    return `${this.receivedBy} id ${email.id}; ${headerFields.date(email.createdAt)}\r\n`;
  }

  /** RFC 2369 §3.2, RFC 8058 §3.1. The job has one recipient, whose link this is. */
  private unsubscribe({ emailId, ordinal }: RecipientRef, mailto: string | undefined): string {
    const places = [this.unsubscribeLink.url(emailId, ordinal), ...(mailto === undefined ? [] : [`mailto:${mailto}`])];
    return (
      headerFields.writeStructured('List-Unsubscribe', places.map((place) => `<${place}>`).join(', ')) +
      headerFields.writeStructured('List-Unsubscribe-Post', 'List-Unsubscribe=One-Click')
    );
  }
}

/** Gmail's feedback loop: at most four parts, from the most specific to the sender; no part contains an address. */
function feedbackId({ tags, domainId, accountId }: DeliveryJob['email']): string {
  const tag = FEEDBACK_TAGS.find((key) => (tags[key] ?? '') !== '');
  return [
    ...(tag === undefined ? [] : [tags[tag].replace(/[^A-Za-z0-9_.-]/g, '_')]),
    domainId.slice(-SHORT_ID_DIGITS),
    accountId.slice(-SHORT_ID_DIGITS),
    FEEDBACK_SENDER,
  ].join(':');
}
