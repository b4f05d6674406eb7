import type { Rule } from '#libs/contracts';
import { emailShapes, tagsRuleUpTo } from '#libs/emails';
import { FieldRule } from '../../rest/validation/field-rule.decorator.js';
import { resendAttachmentsRule, type ResendAttachmentInput } from './resend-attachments.js';
import { resendScheduleRule } from './resend-schedule.js';

const { newEmail } = emailShapes;
/** Resend allows longer values than the native API. */
const TAG_VALUE_LENGTH = 256;

const templateRule: Rule = () => [
  { path: '', code: 'not_supported', message: 'is not supported by this service yet; send html or text' },
];

/** Body of `POST /resend/emails`. */
export class ResendSendDto {
  @FieldRule(newEmail.ruleOf('from'), { required: true })
  from: string;

  @FieldRule(newEmail.ruleOf('to'), { required: true })
  to: string | string[];

  @FieldRule(newEmail.ruleOf('subject'), { required: true })
  subject: string;

  @FieldRule(newEmail.ruleOf('html'), { nullable: true, requiredUnless: 'text' })
  html?: string | null;

  @FieldRule(newEmail.ruleOf('text'), { nullable: true })
  text?: string | null;

  @FieldRule(newEmail.ruleOf('cc'), { nullable: true })
  cc?: string | string[] | null;

  @FieldRule(newEmail.ruleOf('bcc'), { nullable: true })
  bcc?: string | string[] | null;

  @FieldRule(newEmail.ruleOf('reply_to'), { nullable: true })
  reply_to?: string | string[] | null;

  @FieldRule(resendAttachmentsRule, { nullable: true })
  attachments?: ResendAttachmentInput[] | null;

  @FieldRule(newEmail.ruleOf('headers'), { nullable: true })
  headers?: Record<string, string> | null;

  @FieldRule(tagsRuleUpTo(TAG_VALUE_LENGTH), { nullable: true })
  tags?: Record<string, string> | { name: string; value: string }[] | null;

  @FieldRule(resendScheduleRule, { nullable: true })
  scheduled_at?: string | null;

  @FieldRule(templateRule, { nullable: true })
  template?: null;
}

/** Body of `PATCH /resend/emails/:id`. */
export class ResendRescheduleDto {
  @FieldRule(resendScheduleRule, { required: true })
  scheduled_at: string;
}
