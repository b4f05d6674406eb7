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
  type Rule,
} from '#libs/emails';
import { ByRule } from '../by-rule.js';
import { orNull } from './or-null.js';
import { resendAttachmentsRule, type ResendAttachmentInput } from './resend-attachments.js';
import { resendScheduleRule } from './resend-schedule.js';

/** Clients of Resend may be used to longer values than our own API allows. */
const TAG_VALUE_LENGTH = 256;

const noTemplate: Rule = () => [
  { path: '', code: 'not_supported', message: 'is not supported by this service yet; send html or text' },
];

/** Body of `POST /resend/emails`, as the clients of Resend write it. */
export class ResendSendDto {
  @ByRule(fromRule, { required: true })
  from: string;

  @ByRule(toRule, { required: true })
  to: string | string[];

  @ByRule(subjectRule, { required: true })
  subject: string;

  @ByRule(orNull(bodyRule), { requiredUnless: 'text' })
  html?: string | null;

  @ByRule(orNull(bodyRule))
  text?: string | null;

  @ByRule(orNull(ccRule))
  cc?: string | string[] | null;

  @ByRule(orNull(bccRule))
  bcc?: string | string[] | null;

  @ByRule(orNull(replyToRule))
  reply_to?: string | string[] | null;

  @ByRule(orNull(resendAttachmentsRule))
  attachments?: ResendAttachmentInput[] | null;

  @ByRule(orNull(headersRule))
  headers?: Record<string, string> | null;

  @ByRule(orNull(tagsRuleUpTo(TAG_VALUE_LENGTH)))
  tags?: Record<string, string> | { name: string; value: string }[] | null;

  @ByRule(orNull(resendScheduleRule))
  scheduled_at?: string | null;

  @ByRule(orNull(noTemplate))
  template?: null;
}
