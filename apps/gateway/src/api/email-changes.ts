import { parseTimestamp } from '#libs/contracts';
import { RetryEmail } from '#libs/emails';
import { databaseClock } from '#libs/kernel';
import { RescheduleEmail } from '#libs/queue';
import {
  CanceledEmailType,
  RescheduledEmailType,
  RescheduleEmailInput,
  RetriedEmailType,
} from '../graphql/emails/email-input.type.js';
import { EXAMPLE_SCHEDULE } from '../openapi/properties.js';
import { ChangeEmailDto, EmailCanceled, EmailRescheduled, EmailRetried } from '../rest/emails/emails.dto.js';
import { markReplayed } from '../rest/emails/idempotency.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Emails';
const theEmail = { id: 'The id of the email' };

const reschedule = operation({
  tag,
  rest: 'PATCH /:id',
  graphql: {
    field: 'Mutation.rescheduleEmail',
    about: 'Gives a `scheduled` email another time.',
    arguments: theEmail,
    input: { type: RescheduleEmailInput, about: 'The new time' },
    type: RescheduledEmailType,
  },
  scope: 'emails.send',
  summary: 'Reschedule an email',
  description:
    'Possible while it is `scheduled`; afterwards 409 with the current status. At most 30 days after the email was accepted.',
  path: ['id'],
  body: ChangeEmailDto,
  examples: { later: { summary: 'A time in the next 72 hours', value: { scheduled_at: EXAMPLE_SCHEDULE } } },
  response: EmailRescheduled,
  errors: [400, 404, 409, 415],
  uses: [RescheduleEmail],
  run: async ({ caller, id, body }, schedule): Promise<EmailRescheduled> => {
    const scheduledAt = databaseClock.notBefore(parseTimestamp(body.scheduled_at));
    await schedule.reschedule(caller, id, scheduledAt);
    return { object: 'email', id, scheduled_at: scheduledAt.toISOString() };
  },
});

const cancel = operation({
  tag,
  rest: 'POST /:id/cancel',
  graphql: {
    field: 'Mutation.cancelEmail',
    about:
      'Cancels an email that is `scheduled`, or `queued` while delivery has not started. Canceling a scheduled email of ' +
      'this month returns its units to the allowance.',
    arguments: theEmail,
    type: CanceledEmailType,
  },
  scope: 'emails.send',
  summary: 'Cancel an email',
  description:
    'Possible while it is `scheduled`, and while it is `queued` and delivery has not started; afterwards 409 with the ' +
    'current status. Canceling a scheduled email of this month returns its units to the allowance.',
  path: ['id'],
  response: EmailCanceled,
  errors: [400, 404, 409, 415],
  uses: [RescheduleEmail],
  run: async ({ caller, id }, schedule): Promise<EmailCanceled> => {
    await schedule.cancel(caller, id);
    return { object: 'email', id, status: 'canceled' };
  },
});

const retry = operation({
  tag,
  rest: 'POST /:id/retry',
  graphql: {
    field: 'Mutation.retryEmail',
    about:
      'Sends a failed email again, as a new email to the recipients that failed or bounced. Possible when no recipient is ' +
      'still being processed.',
    arguments: theEmail,
    type: RetriedEmailType,
  },
  scope: 'emails.send',
  summary: 'Retry a failed email',
  description:
    'Possible when no recipient is still being processed and at least one failed or bounced. Creates a new email with ' +
    'the same content to those recipients; domain, suppressions and allowance are checked again.',
  path: ['id'],
  response: EmailRetried,
  status: 201,
  errors: [400, 404, 409, 415, 422],
  idempotent: true,
  uses: [RetryEmail],
  run: async ({ caller, id, idempotency }, retries) => {
    const { id: newEmail, replayed } = await retries.retry({ ...caller, idempotency }, id);
    return { object: 'email' as const, id: newEmail, retry_of: id, replayed };
  },
  respond: ({ replayed, ...retried }, reply): EmailRetried => {
    markReplayed(reply, { replayed });
    return retried;
  },
});

/** Reschedules, cancels and retries emails. */
export const EMAIL_CHANGES: OperationGroup = {
  name: 'EmailChanges',
  path: 'emails',
  operations: { reschedule, cancel, retry },
};
