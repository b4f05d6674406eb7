import type { Principal } from '#libs/accounts';
import { newSubmission, type Submission } from '#libs/emails';
import { parseBody } from '../../rest/validation/body-pipe.js';
import { toAttachments } from './resend-attachments.js';
import { ResendSendDto } from './resend-emails.dto.js';
import { resendReleaseTime } from './resend-schedule.js';

/**
 * The submission that a body of a client of Resend describes. Suppressed recipients are skipped and reported by an event,
 * as with Resend.
 * @throws Refusal that lists all problems of its fields
 */
export function toResendSubmission(body: unknown, caller: Principal): Submission {
  const { scheduled_at, attachments = [], ...given } = withoutNulls(parseBody(body, ResendSendDto));
  const email = { ...given, attachments: toAttachments(attachments), suppression_policy: 'skip' as const };
  return {
    ...newSubmission(email, caller),
    source: 'facade',
    scheduledAt: scheduled_at === undefined ? null : resendReleaseTime(scheduled_at),
  };
}

type WithoutNulls<T> = { [K in keyof T]: Exclude<T[K], null> };

function withoutNulls(dto: ResendSendDto): WithoutNulls<ResendSendDto> {
  return Object.fromEntries(
    Object.entries(dto).filter(([, value]) => value !== null),
  ) as unknown as WithoutNulls<ResendSendDto>;
}
