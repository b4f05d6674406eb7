import type { Principal } from '#libs/accounts';
import {
  attachmentsFrom,
  conflictProblems,
  hostedUnsubscribe,
  listUnsubscribeHeaders,
  mailboxes,
  releaseTime,
  tagsFrom,
  type Submission,
} from '#libs/emails';
import { parseBody } from '../validation/body-pipe.js';
import { invalidFields } from '../validation/invalid-fields.js';
import { SendEmailDto } from './send-email.dto.js';

/** The submission that a JSON object describes. @throws Refusal that lists all problems of its fields. */
export function toSubmission(body: unknown, caller: Principal): Submission {
  const dto = parseBody(body, SendEmailDto);
  const conflicts = conflictProblems(dto, caller.mode);
  if (conflicts.length > 0) throw invalidFields(conflicts);
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
    idempotency: null,
    allowedDomains: caller.domainIds,
    ...optionsOf(dto),
  };
}

function optionsOf(dto: SendEmailDto): Partial<Submission> {
  const unsubscribe = hostedUnsubscribe(dto.list_unsubscribe);
  return {
    ...(unsubscribe === undefined ? {} : { unsubscribe }),
    ...(dto.suppression_policy === undefined ? {} : { suppressed: dto.suppression_policy }),
    ...(dto.tracking === undefined ? {} : { tracking: dto.tracking }),
    ...(dto.expires_in === undefined ? {} : { lifetimeSeconds: dto.expires_in }),
    ...(dto.sandbox_result === undefined ? {} : { sandboxResult: dto.sandbox_result.toLowerCase() }),
  };
}
