import type { Principal } from '#libs/accounts';
import { Refusal, type RefusalDetail } from '#libs/contracts';
import {
  attachmentsFrom,
  conflictProblems,
  hostedUnsubscribe,
  listUnsubscribeHeaders,
  mailboxes,
  releaseTime,
  tagsFrom,
  type Idempotency,
  type Submission,
} from '#libs/emails';
import { readBody } from './body-pipe.js';
import { invalidFields } from './invalid-fields.js';
import { SendEmailDto } from './send-email.dto.js';

/** What the intake takes, from one JSON object. @throws Refusal that names all problems of its fields. */
export function submissionFrom(body: unknown, caller: Principal, idempotency: Idempotency | null): Submission {
  const { dto, problems } = readBody(body, SendEmailDto);
  const conflicts: RefusalDetail[] = problems.length > 0 ? [] : conflictProblems(dto, caller.mode);
  if (problems.length + conflicts.length > 0) throw invalidFields([...problems, ...conflicts]);
  return {
    accountId: caller.accountId,
    keyId: caller.keyId,
    mode: dto.sandbox ? 'test' : caller.mode,
    source: 'rest',
    from: mailboxes(dto.from)[0],
    to: mailboxes(dto.to),
    cc: mailboxes(dto.cc),
    bcc: mailboxes(dto.bcc),
    replyTo: mailboxes(dto.reply_to),
    subject: dto.subject,
    tags: tagsFrom(dto.tags),
    content: {
      format: 'parts',
      ...(dto.html === undefined ? {} : { html: dto.html }),
      ...(dto.text === undefined ? {} : { text: dto.text }),
      headers: [...Object.entries(dto.headers ?? {}), ...listUnsubscribeHeaders(dto.list_unsubscribe)],
      attachments: attachmentsFrom(dto.attachments),
    },
    scheduledAt: releaseTime(dto.scheduled_at),
    idempotency,
    allowedDomains: caller.domainIds,
    ...options(dto),
  };
}

function options(dto: SendEmailDto): Partial<Submission> {
  const unsubscribe = hostedUnsubscribe(dto.list_unsubscribe);
  return {
    ...(unsubscribe === undefined ? {} : { unsubscribe }),
    ...(dto.suppression_policy === undefined ? {} : { suppressed: dto.suppression_policy }),
    ...(dto.expires_in === undefined ? {} : { lifetimeSeconds: dto.expires_in }),
    ...(dto.sandbox_result === undefined ? {} : { sandboxResult: dto.sandbox_result.toLowerCase() }),
  };
}

/** One element of a batch: a submission, or why it is none. */
export function elementFrom(body: unknown, caller: Principal): Submission | Refusal {
  try {
    return submissionFrom(body, caller, null);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
