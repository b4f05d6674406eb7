import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { conflictProblems, mailboxes, tagsFrom, type Idempotency, type Submission } from '#libs/emails';
import { readBody } from '../body-pipe.js';
import { invalidFields } from '../invalid-fields.js';
import { resendAttachments } from './resend-attachments.js';
import { resendReleaseTime } from './resend-schedule.js';
import { ResendSendDto } from './resend-send.dto.js';

/**
 * What the intake takes, from a body as clients of Resend send it. Suppressed recipients are left out and told by an
 * event, as those clients expect. @throws Refusal that names all problems of its fields.
 */
export function resendSubmission(body: unknown, caller: Principal, idempotency: Idempotency | null): Submission {
  const { dto, problems } = readBody(body, ResendSendDto);
  const given = withoutNulls(dto);
  const conflicts = problems.length > 0 ? [] : [...contentProblems(given), ...conflictProblems(given, caller.mode)];
  if (problems.length + conflicts.length > 0) throw invalidFields([...problems, ...conflicts]);
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
      attachments: resendAttachments(given.attachments),
    },
    scheduledAt: given.scheduled_at === undefined ? null : resendReleaseTime(given.scheduled_at),
    idempotency,
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

/** One element of a batch: a submission, or why it is none. */
export function resendElement(body: unknown, caller: Principal): Submission | Refusal {
  try {
    return resendSubmission(body, caller, null);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
