import type { Principal } from '#libs/accounts';
import { conflictProblems, mailboxes, tagsFrom, type Submission } from '#libs/emails';
import { parseBody } from '../../rest/validation/body-pipe.js';
import { invalidFields } from '../../rest/validation/invalid-fields.js';
import { toAttachments } from './resend-attachments.js';
import { ResendSendDto } from './resend-emails.dto.js';
import { resendReleaseTime } from './resend-schedule.js';

/**
 * The submission that a body of a client of Resend describes. Suppressed recipients are skipped and reported by an event,
 * as with Resend.
 * @throws Refusal that lists all problems of its fields
 */
export function toResendSubmission(body: unknown, caller: Principal): Submission {
  const given = withoutNulls(parseBody(body, ResendSendDto));
  const conflicts = [...contentProblems(given), ...conflictProblems(given, caller.mode)];
  if (conflicts.length > 0) throw invalidFields(conflicts);
  return {
    accountId: caller.accountId,
    keyId: caller.keyId,
    mode: caller.mode,
    source: 'facade',
    from: mailboxes(given.from)[0],
    to: mailboxes(given.to),
    cc: mailboxes(given.cc),
    bcc: mailboxes(given.bcc),
    replyTo: mailboxes(given.reply_to),
    subject: given.subject,
    tags: tagsFrom(given.tags),
    content: {
      format: 'parts',
      ...(given.html === undefined ? {} : { html: given.html }),
      ...(given.text === undefined ? {} : { text: given.text }),
      headers: Object.entries(given.headers ?? {}),
      attachments: toAttachments(given.attachments),
    },
    scheduledAt: given.scheduled_at === undefined ? null : resendReleaseTime(given.scheduled_at),
    idempotency: null,
    allowedDomains: caller.domainIds,
    suppressed: 'skip',
  };
}

type WithoutNulls<T> = { [K in keyof T]: Exclude<T[K], null> };

function withoutNulls(dto: ResendSendDto): WithoutNulls<ResendSendDto> {
  return Object.fromEntries(
    Object.entries(dto).filter(([, value]) => value !== null),
  ) as unknown as WithoutNulls<ResendSendDto>;
}

function contentProblems({ html, text }: WithoutNulls<ResendSendDto>) {
  return html === undefined && text === undefined
    ? [{ field: 'html', code: 'required', message: 'is required when text is not given' }]
    : [];
}
