import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import {
  EMAIL_STATUSES,
  LAST_EVENTS,
  RECIPIENT_TYPES,
  type EmailStatus,
  type LastEvent,
  type RecipientType,
} from '#libs/contracts';
import type { EmailView, RecipientView } from '#libs/emails';
import { DateTime, stringEnum } from '../scalars.js';

const EmailStatusEnum = stringEnum('EmailStatus', EMAIL_STATUSES);
const LastEventEnum = stringEnum('LastEvent', LAST_EVENTS);
const RecipientTypeEnum = stringEnum('RecipientType', RECIPIENT_TYPES);

@ObjectType('Tag')
export class TagType {
  @Field(() => String)
  key: string;
  @Field(() => String)
  value: string;
}

@ObjectType('Attachment', { description: 'An attachment, without its content.' })
export class AttachmentType {
  @Field(() => String)
  filename: string;
  @Field(() => String)
  contentType: string;
  @Field(() => String, { nullable: true })
  contentId: string | null;
  @Field(() => Int)
  size: number;
}

@ObjectType('SmtpReply', { description: 'The last reply of the receiving server.' })
export class SmtpReplyType {
  @Field(() => Int, { nullable: true })
  code: number | null;
  @Field(() => String, { nullable: true })
  enhanced: string | null;
  @Field(() => String)
  text: string;
  @Field(() => String, { nullable: true })
  mx: string | null;
  @Field(() => String, { nullable: true })
  ip: string | null;
  @Field(() => String, { nullable: true })
  tls: string | null;
}

@ObjectType('Recipient')
export class RecipientObjectType {
  @Field(() => String)
  address: string;
  @Field(() => RecipientTypeEnum)
  type: RecipientType;
  @Field(() => EmailStatusEnum)
  status: EmailStatus;
  @Field(() => Int)
  attempts: number;
  @Field(() => SmtpReplyType, { nullable: true, description: 'Null before the first attempt.' })
  smtp: SmtpReplyType | null;
  @Field(() => DateTime, { nullable: true })
  nextAttemptAt: string | null;
}

@ObjectType('Email', { description: 'An e-mail as it was accepted, with its delivery status.' })
export class EmailType {
  @Field(() => ID)
  id: string;
  @Field(() => EmailStatusEnum)
  status: EmailStatus;
  @Field(() => LastEventEnum)
  lastEvent: LastEvent;
  @Field(() => String)
  from: string;
  @Field(() => [String])
  to: string[];
  @Field(() => [String])
  cc: string[];
  @Field(() => [String])
  bcc: string[];
  @Field(() => [String])
  replyTo: string[];
  @Field(() => String)
  subject: string;
  @Field(() => String, { nullable: true, description: 'Null if there is none, or after it was deleted.' })
  html: string | null;
  @Field(() => String, { nullable: true, description: 'Null if there is none, or after it was deleted.' })
  text: string | null;
  @Field(() => [TagType])
  tags: TagType[];
  @Field(() => [AttachmentType])
  attachments: AttachmentType[];
  @Field(() => DateTime)
  createdAt: string;
  @Field(() => DateTime)
  updatedAt: string;
  @Field(() => DateTime, { nullable: true })
  scheduledAt: string | null;
  @Field(() => DateTime, { nullable: true })
  deliveredAt: string | null;
  @Field(() => String)
  messageId: string;
  @Field(() => ID)
  domainId: string;
  @Field(() => [RecipientObjectType])
  recipients: RecipientObjectType[];
}

/** The REST response in camelCase. */
export function toEmail(view: EmailView): EmailType {
  return {
    id: view.id,
    status: view.status,
    lastEvent: view.last_event,
    from: view.from,
    to: view.to,
    cc: view.cc,
    bcc: view.bcc,
    replyTo: view.reply_to,
    subject: view.subject,
    html: view.html,
    text: view.text,
    tags: Object.entries(view.tags).map(([key, value]) => ({ key, value })),
    attachments: view.attachments.map((file) => ({
      filename: file.filename,
      contentType: file.content_type,
      contentId: file.content_id,
      size: file.size,
    })),
    createdAt: view.created_at,
    updatedAt: view.updated_at,
    scheduledAt: view.scheduled_at,
    deliveredAt: view.delivered_at,
    messageId: view.message_id,
    domainId: view.domain_id,
    recipients: view.recipients.map(toRecipient),
  };
}

const toRecipient = ({ next_attempt_at, ...recipient }: RecipientView): RecipientObjectType => ({
  ...recipient,
  nextAttemptAt: next_attempt_at,
});
