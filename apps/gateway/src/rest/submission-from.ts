import type { Principal } from '#libs/accounts';
import { attachmentsFrom, mailboxes, releaseTime, type Idempotency, type Submission } from '#libs/emails';
import type { SendEmailDto } from './emails.dto.js';

/** What the intake takes, from a body whose fields have passed their rules. */
export function submissionFrom(dto: SendEmailDto, caller: Principal, idempotency: Idempotency | null): Submission {
  return {
    accountId: caller.accountId,
    keyId: caller.keyId,
    mode: caller.mode,
    source: 'rest',
    from: mailboxes(dto.from)[0],
    to: mailboxes(dto.to),
    cc: mailboxes(dto.cc),
    bcc: mailboxes(dto.bcc),
    replyTo: mailboxes(dto.reply_to),
    subject: dto.subject,
    tags: dto.tags ?? {},
    content: {
      format: 'parts',
      ...(dto.html === undefined ? {} : { html: dto.html }),
      ...(dto.text === undefined ? {} : { text: dto.text }),
      headers: Object.entries(dto.headers ?? {}),
      attachments: attachmentsFrom(dto.attachments),
    },
    scheduledAt: releaseTime(dto.scheduled_at),
    idempotency,
  };
}
