import { ByRule } from '../by-rule.js';
import { resendScheduleRule } from './resend-schedule.js';

/** Body of `PATCH /resend/emails/:id`. */
export class ResendRescheduleDto {
  @ByRule(resendScheduleRule, { required: true })
  scheduled_at: string;
}
