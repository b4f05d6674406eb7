import {
  attachmentsRule,
  bccRule,
  bodyRule,
  ccRule,
  fromRule,
  headersRule,
  replyToRule,
  scheduledAtRule,
  subjectRule,
  tagsRule,
  toRule,
} from '#libs/emails';
import { ByRule } from './by-rule.js';

export interface AttachmentDto {
  filename: string;
  content: string;
  content_type?: string;
  content_id?: string;
}

/** Body of `POST /emails`. */
export class SendEmailDto {
  @ByRule(fromRule, { required: true })
  from: string;

  @ByRule(toRule, { required: true })
  to: string | string[];

  @ByRule(subjectRule, { required: true })
  subject: string;

  @ByRule(bodyRule, { requiredUnless: 'text' })
  html?: string;

  @ByRule(bodyRule)
  text?: string;

  @ByRule(ccRule)
  cc?: string | string[];

  @ByRule(bccRule)
  bcc?: string | string[];

  @ByRule(replyToRule)
  reply_to?: string | string[];

  @ByRule(attachmentsRule)
  attachments?: AttachmentDto[];

  @ByRule(headersRule)
  headers?: Record<string, string>;

  @ByRule(tagsRule)
  tags?: Record<string, string>;

  @ByRule(scheduledAtRule)
  scheduled_at?: string;
}

/** Answer of `POST /emails`. */
export interface EmailCreated {
  id: string;
  object: 'email';
}
