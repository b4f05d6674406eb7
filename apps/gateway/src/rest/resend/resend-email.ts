import type { LastEvent } from '#libs/contracts';
import type { EmailSummary, EmailView } from '#libs/emails';
import { toResendId } from './resend-id.js';

/** A mail in a list, as clients of Resend know it. */
export interface ResendEmailItem {
  id: string;
  to: string[];
  from: string;
  created_at: string;
  subject: string;
  /** Null where there is none, here and below. */
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

export function resendEmailItem(mail: EmailSummary): ResendEmailItem {
  return {
    id: toResendId(mail.id),
    to: mail.to,
    from: mail.from,
    created_at: mail.created_at,
    subject: mail.subject,
    bcc: orNone(mail.bcc),
    cc: orNone(mail.cc),
    reply_to: orNone(mail.reply_to),
    message_id: mail.message_id,
    last_event: mail.last_event,
    scheduled_at: mail.scheduled_at,
  };
}

export function resendEmail(mail: EmailView): ResendEmail {
  return {
    object: 'email',
    ...resendEmailItem(mail),
    html: mail.html,
    text: mail.text,
    tags: Object.entries(mail.tags).map(([name, value]) => ({ name, value })),
  };
}

const orNone = (addresses: string[]): string[] | null => (addresses.length > 0 ? addresses : null);
