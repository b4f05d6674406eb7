import type { LastEvent } from '#libs/contracts';
import type { EmailDto, EmailItemDto } from '../../rest/emails/emails.dto.js';
import { toResendId } from '../resend-id.js';

/** An email in a list, in the format of Resend. */
export interface ResendEmailItem {
  id: string;
  to: string[];
  from: string;
  created_at: string;
  subject: string;
  /** Null if there are no addresses, here and below. */
  bcc: string[] | null;
  cc: string[] | null;
  reply_to: string[] | null;
  message_id: string;
  last_event: LastEvent;
  scheduled_at: string | null;
}

export interface ResendEmail extends ResendEmailItem {
  object: 'email';
  html: string | null;
  text: string | null;
  tags: { name: string; value: string }[];
}

export function toResendEmailItem(email: EmailItemDto): ResendEmailItem {
  return {
    id: toResendId(email.id),
    to: email.to,
    from: email.from,
    created_at: email.created_at,
    subject: email.subject,
    bcc: orNull(email.bcc),
    cc: orNull(email.cc),
    reply_to: orNull(email.reply_to),
    message_id: email.message_id,
    last_event: email.last_event,
    scheduled_at: email.scheduled_at,
  };
}

export function toResendEmail(email: EmailDto): ResendEmail {
  return {
    object: 'email',
    ...toResendEmailItem(email),
    html: email.html,
    text: email.text,
    tags: Object.entries(email.tags).map(([name, value]) => ({ name, value })),
  };
}

const orNull = (addresses: string[]): string[] | null => (addresses.length > 0 ? addresses : null);
