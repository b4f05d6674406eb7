import { Field, InputType, ObjectType } from '@nestjs/graphql';
import { LinkedAttachmentDto } from '../../rest/emails/email-attachments.dto.js';
import type { Shape } from '#libs/contracts';
import { emailShapes } from '#libs/emails';
import { explanationShapes } from '#libs/queue';
import { responseClass } from '../../openapi/definition-classes.js';
import { AttemptDto, EmailEventDto, ExplanationDto } from '../../rest/emails/email-history.dto.js';
import { EmailItemDto } from '../../rest/emails/emails.dto.js';
import { connectionType } from '../connection.js';
import { objectType } from '../dto/object-type.js';
import { Json } from '../scalars.js';

@ObjectType('Tag', { description: 'A tag of an email.' })
export class TagType {
  @Field(() => String, { description: 'The key' })
  key: string;

  @Field(() => String, { description: 'The value' })
  value: string;
}

@InputType('TagInput', { description: 'A tag of an email.' })
export class TagInput {
  @Field(() => String, { description: 'The key: 1 to 50 letters, digits, `_`, `.` or `-`' })
  key: string;

  @Field(() => String, { description: 'The value, at most 50 characters' })
  value: string;
}

@ObjectType('Header', { description: 'A header field of an email.' })
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

const { smtp, visits, recipient, linkedAttachment, tracked } = emailShapes;
objectType('SmtpReply', responseClass(smtp), { description: smtp.about });
objectType(visits.name, responseClass(visits), { description: visits.about });
export const RecipientType = objectType(recipient.name, responseClass(recipient), { description: recipient.about });
export const AttachmentType = objectType('Attachment', LinkedAttachmentDto, { description: linkedAttachment.about });
export const TrackingType = objectType('Tracking', responseClass(tracked), { description: tracked.about });

@ObjectType('EmailContent', { description: 'The content of an email, which is kept for 30 days.' })
export class EmailContentType {
  @Field(() => String, { nullable: true, description: 'The HTML body. Null if there is none, or after it was deleted' })
  html: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The plain-text body. Null if there is none, or after it was deleted',
  })
  text: string | null;

  @Field(() => [HeaderType], {
    description: 'Your own header fields; empty for emails submitted over SMTP, and after the content was deleted',
  })
  headers: HeaderType[];

  @Field(() => [AttachmentType], { description: 'The attachments; empty after the content was deleted' })
  attachments: LinkedAttachmentDto[];
}

/** The fields that a list shows. `EmailFieldsResolver` loads the others. */
export const EmailType = objectType(emailShapes.email.name, EmailItemDto, {
  description: emailShapes.email.about,
  fields: { tags: { type: [TagType], value: ({ tags }) => toTags(tags) } },
});
export const EmailConnection = connectionType<EmailItemDto>(emailShapes.email.name, EmailType);

const { eventOfEmail, attempt, attemptSecurity, earlierHost } = emailShapes;
const EmailEventType = objectType(eventOfEmail.name, EmailEventDto, {
  description: eventOfEmail.about,
  fields: {
    id: { description: 'The id of the event, the same as in webhooks and in `events`' },
    type: { type: String },
    data: { type: Json, description: 'The data of the event; its fields depend on the type' },
  },
});
export const EmailEventConnection = connectionType<EmailEventDto>(eventOfEmail.name, EmailEventType);

const { explanation, held, recipientExplanation } = explanationShapes;
for (const shape of <Shape[]>[attemptSecurity, earlierHost, held, recipientExplanation])
  objectType(shape.name, responseClass(shape), { description: shape.about });
const AttemptType = objectType(attempt.name, AttemptDto, { description: attempt.about });
export const AttemptConnection = connectionType<AttemptDto>(attempt.name, AttemptType);

export const ExplanationType = objectType(explanation.name, ExplanationDto, { description: explanation.about });
