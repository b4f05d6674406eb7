import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import type { NewEmail } from '../new-email.resource.js';
import { attachmentsFrom } from './attachments/attachment-rules.js';
import { conflictProblems } from './rules/conflict-rules.js';
import { hostedUnsubscribe, listUnsubscribeHeaders } from './rules/option-rules.js';
import { mailboxes, releaseTime, tagsFrom } from './rules/submission-rules.js';
import type { Submission } from './submission.js';

/**
 * The submission of an email whose fields are valid, each by its rule.
 * @throws Refusal that lists the fields that contradict each other
 */
export function newSubmission(email: NewEmail, caller: Principal): Submission {
  const conflicts = conflictProblems(email, caller.mode);
  if (conflicts.length > 0) throw Refusal.ofFields(conflicts);
  return {
    accountId: caller.accountId,
    keyId: caller.keyId,
    mode: email.sandbox ? 'test' : caller.mode,
    source: 'rest',
    from: mailboxes(email.from)[0],
    to: mailboxes(email.to),
    cc: mailboxes(email.cc),
    bcc: mailboxes(email.bcc),
    replyTo: mailboxes(email.reply_to),
    subject: email.subject,
    tags: tagsFrom(email.tags),
    content: {
      format: 'parts',
      ...(email.html === undefined ? {} : { html: email.html }),
      ...(email.text === undefined ? {} : { text: email.text }),
      headers: [...Object.entries(email.headers ?? {}), ...listUnsubscribeHeaders(email.list_unsubscribe)],
      attachments: attachmentsFrom(email.attachments),
    },
    scheduledAt: releaseTime(email.scheduled_at),
    idempotency: null,
    allowedDomains: caller.domainIds,
    ...optionsOf(email),
  };
}

function optionsOf(email: NewEmail): Partial<Submission> {
  const unsubscribe = hostedUnsubscribe(email.list_unsubscribe);
  return {
    ...(unsubscribe === undefined ? {} : { unsubscribe }),
    ...(email.suppression_policy === undefined ? {} : { suppressed: email.suppression_policy }),
    ...(email.priority === undefined ? {} : { priority: email.priority }),
    ...(email.tracking === undefined ? {} : { tracking: email.tracking }),
    ...(email.expires_in === undefined ? {} : { lifetimeSeconds: email.expires_in }),
    ...(email.sandbox_result === undefined ? {} : { sandboxResult: email.sandbox_result.toLowerCase() }),
  };
}
