import type { Rule } from '#libs/contracts';
import {
  bccRule,
  bodyRule,
  ccRule,
  fromRule,
  headersRule,
  replyToRule,
  subjectRule,
  tagsRuleUpTo,
  toRule,
} from '#libs/emails';
import { FieldRule } from '../../rest/validation/field-rule.decorator.js';
import { resendAttachmentsRule, type ResendAttachmentInput } from './resend-attachments.js';
import { resendScheduleRule } from './resend-schedule.js';

/** Resend allows longer values than the native API. */
const TAG_VALUE_LENGTH = 256;

const templateRule: Rule = () => [
  { path: '', code: 'not_supported', message: 'is not supported by this service yet; send html or text' },
];

/** Body of `POST /resend/emails`. */
export class ResendSendDto {
  @FieldRule(fromRule, { required: true })
  from: string;

  @FieldRule(toRule, { required: true })
  to: string | string[];

  @FieldRule(subjectRule, { required: true })
  subject: string;

  @FieldRule(bodyRule, { nullable: true, requiredUnless: 'text' })
  html?: string | null;

  @FieldRule(bodyRule, { nullable: true })
  text?: string | null;

  @FieldRule(ccRule, { nullable: true })
  cc?: string | string[] | null;

  @FieldRule(bccRule, { nullable: true })
  bcc?: string | string[] | null;

  @FieldRule(replyToRule, { nullable: true })
  reply_to?: string | string[] | null;

  @FieldRule(resendAttachmentsRule, { nullable: true })
  attachments?: ResendAttachmentInput[] | null;

  @FieldRule(headersRule, { nullable: true })
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
