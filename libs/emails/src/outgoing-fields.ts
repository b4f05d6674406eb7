import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { hasHeaderField, rfc5322Date, structuredField } from '#libs/mime';
import type { DeliveryJob } from './ledger/delivery-job.js';
import { NOTICE_TAG } from './notices/operator-mail.js';
import { ReturnPath } from './return-path.js';
import { UnsubscribeLink } from './unsubscribe/unsubscribe-link.js';

/** Who answers for the mail, at the end of Feedback-ID; 5 to 15 characters, equal in all mail of this software. */
const FEEDBACK_SENDER = 'postloft';
/** Tags that say which kind of mail it is. Others are as good as unique, and a rate needs many mails of one kind. */
const FEEDBACK_TAGS = ['campaign', 'category'];
/** Random hex digits of an id: enough to tell domains and accounts apart. */
const SHORT_ID = 12;

/**
 * The header fields that we put in front of a message when it goes out, composed and relayed mail alike; the message
 * behind them stays as it is. They name the transaction, so they are made for one job, and they are signed with the rest.
 */
@Injectable()
export class OutgoingFields {
  /** The first line of a trace field. */
  private readonly by: string;

  constructor(
    private readonly returnPath: ReturnPath,
    private readonly unsubscribeLink: UnsubscribeLink,
    config: Config,
  ) {
    this.by = structuredField('Received', `by smtp.${config.settings.SERVICE_DOMAIN} with ESMTPSA`);
  }

  /** Whole fields, each ended by CRLF. */
  of({ mail, recipients }: Pick<DeliveryJob, 'mail' | 'recipients'>, message: Buffer): string {
    const [{ ordinal }] = recipients;
    const unsubscribe = mail.unsubscribe === null ? '' : this.unsubscribe(mail.id, ordinal, mail.unsubscribe.mailto);
    const feedback = hasHeaderField(message, 'Feedback-ID') ? '' : structuredField('Feedback-ID', feedbackId(mail));
    return unsubscribe + feedback + structuredField('X-Postloft-Ref', this.returnPath.trace(mail.id, ordinal));
  }

  /**
   * The trace of a relayed mail (RFC 5321 §4.4, protocol word of RFC 3848); who submitted it, and from where, is nobody's
   * business. Our own notices came from nowhere. Equal at every attempt.
   */
  received({ mail }: Pick<DeliveryJob, 'mail'>): string {
    if (NOTICE_TAG in mail.tags) return '';
    return `${this.by} id ${mail.id}; ${rfc5322Date(mail.createdAt)}\r\n`;
  }

  /** RFC 2369 §3.2, RFC 8058 §3.1. The job has one recipient: the link is his alone. */
  private unsubscribe(emailId: string, ordinal: number, mailto: string | undefined): string {
    const places = [this.unsubscribeLink.url(emailId, ordinal), ...(mailto === undefined ? [] : [`mailto:${mailto}`])];
    return (
      structuredField('List-Unsubscribe', places.map((place) => `<${place}>`).join(', ')) +
      structuredField('List-Unsubscribe-Post', 'List-Unsubscribe=One-Click')
    );
  }
}

/** Gmail's feedback loop: at most four parts, from the particular to the sender; no part holds an address. */
function feedbackId({ tags, domainId, accountId }: DeliveryJob['mail']): string {
  const tag = FEEDBACK_TAGS.find((key) => (tags[key] ?? '') !== '');
  return [
    ...(tag === undefined ? [] : [tags[tag].replace(/[^A-Za-z0-9_.-]/g, '_')]),
    domainId.slice(-SHORT_ID),
    accountId.slice(-SHORT_ID),
    FEEDBACK_SENDER,
  ].join(':');
}
