import { Field, InputType, ObjectType } from '@nestjs/graphql';
import { LinkedAttachmentDto } from '../../rest/emails/email-attachments.dto.js';
import {
  AttemptDto,
  AttemptSecurityDto,
  EarlierHostDto,
  EmailEventDto,
  ExplanationDto,
  HeldDto,
  RecipientExplanationDto,
} from '../../rest/emails/email-history.dto.js';
import { EmailItemDto, RecipientDto, SmtpDto, TrackedDto, VisitsDto } from '../../rest/emails/emails.dto.js';
import { connectionType } from '../connection.js';
import { objectType } from '../dto/object-type.js';
import { Json } from '../scalars.js';

@ObjectType('Tag', { description: 'A tag of an e-mail.' })
export class TagType {
  @Field(() => String, { description: 'The key' })
  key: string;

  @Field(() => String, { description: 'The value' })
  value: string;
}

@InputType('TagInput', { description: 'A tag of an e-mail.' })
export class TagInput {
  @Field(() => String, { description: 'The key: 1 to 50 letters, digits, `_`, `.` or `-`' })
  key: string;

  @Field(() => String, { description: 'The value, at most 50 characters' })
  value: string;
}

@ObjectType('Header', { description: 'A header field of an e-mail.' })
export class HeaderType {
  @Field(() => String, { description: 'The name' })
  name: string;

  @Field(() => String, { description: 'The value' })
  value: string;
}

const toTags = (tags: Readonly<Record<string, string>>): TagType[] =>
  Object.entries(tags).map(([key, value]) => ({ key, value }));

export const toHeaders = (headers: Readonly<Record<string, string>>): HeaderType[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

objectType('SmtpReply', SmtpDto, { description: 'The reply of a receiving server, and the connection to it.' });
objectType('Visits', VisitsDto, { description: 'Opens and clicks of one recipient.' });
export const RecipientType = objectType('Recipient', RecipientDto, {
  description: 'A recipient of an e-mail with its delivery status.',
});
export const AttachmentType = objectType('Attachment', LinkedAttachmentDto, {
  description: 'An attachment, without its content.',
});
export const TrackingType = objectType('Tracking', TrackedDto, { description: 'Tracking of an e-mail.' });

@ObjectType('EmailContent', { description: 'The content of an e-mail, which is kept for 30 days.' })
export class EmailContentType {
  @Field(() => String, { nullable: true, description: 'The HTML body. Null if there is none, or after it was deleted' })
  html: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The plain-text body. Null if there is none, or after it was deleted',
  })
  text: string | null;

  @Field(() => [HeaderType], {
    description: 'Your own header fields; empty for e-mails submitted over SMTP, and after the content was deleted',
  })
  headers: HeaderType[];

  @Field(() => [AttachmentType], { description: 'The attachments; empty after the content was deleted' })
  attachments: LinkedAttachmentDto[];
}

/** The fields that a list shows. `EmailFieldsResolver` loads the others. */
export const EmailType = objectType('Email', EmailItemDto, {
  description: 'An e-mail as it was accepted, with its delivery status.',
  fields: { tags: { type: [TagType], value: ({ tags }) => toTags(tags) } },
});
export const EmailConnection = connectionType<EmailItemDto>('Email', EmailType);

const EmailEventType = objectType('EmailEvent', EmailEventDto, {
  description: 'An event of an e-mail, as webhooks receive it.',
  fields: {
    id: { description: 'The id of the event, the same as in webhooks and in `events`' },
    type: { type: String },
    data: { type: Json, description: 'The data of the event; its fields depend on the type' },
  },
});
export const EmailEventConnection = connectionType<EmailEventDto>('EmailEvent', EmailEventType);

objectType('AttemptSecurity', AttemptSecurityDto, { description: 'TLS of the connection of an attempt.' });
objectType('EarlierHost', EarlierHostDto, { description: 'A server that an attempt tried first, and why it failed.' });
const AttemptType = objectType('Attempt', AttemptDto, {
  description: 'An attempt to deliver an e-mail to one recipient.',
});
export const AttemptConnection = connectionType<AttemptDto>('Attempt', AttemptType);

objectType('Held', HeldDto, { description: 'A limit that holds a recipient back.' });
objectType('RecipientExplanation', RecipientExplanationDto, {
  description: 'Why a recipient is in its state, and what happens next.',
});
export const ExplanationType = objectType('Explanation', ExplanationDto, {
  description: 'Why the recipients of an e-mail are in their states.',
});
