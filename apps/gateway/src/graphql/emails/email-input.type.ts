import { Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import { LIMITS, Refusal } from '#libs/contracts';
import { emailShapes } from '#libs/emails';
import { requestClass } from '../../openapi/definition-classes.js';
import {
  ChangeEmailDto,
  EmailCanceled,
  EmailRescheduled,
  EmailRetried,
  EmailsQuery,
} from '../../rest/emails/emails.dto.js';
import { SendEmailDto } from '../../rest/emails/send-email.dto.js';
import { inputType, restBody } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { BatchValidation } from '../enums.js';
import { TagInput } from './email.type.js';

@InputType('HeaderInput', { description: 'A header field of an email.' })
class HeaderInput {
  @Field(() => String, { description: 'The name' })
  name: string;

  @Field(() => String, { description: 'The value' })
  value: string;
}

const { attachment, listUnsubscribe, messageTracking, newEmail } = emailShapes;
const ListUnsubscribeInput = inputType('ListUnsubscribeInput', requestClass(listUnsubscribe), {
  description: listUnsubscribe.about,
});
inputType('AttachmentInput', requestClass(attachment), {
  description: attachment.about,
  fields: {
    content_id: {
      description: 'Makes the file inline: the HTML body refers to it as `cid:` and this id. Unique within the email',
    },
  },
});
inputType('TrackingInput', requestClass(messageTracking), { description: messageTracking.about });

const addresses = (description: string) => ({ type: [String] as [typeof String], description });

export const SendEmailInput = inputType('SendEmailInput', SendEmailDto, {
  description: newEmail.about,
  fields: {
    to: { ...addresses('1 to 50 recipients. Duplicates across to, cc and bcc are merged'), required: true },
    cc: addresses('Cc recipients, at most 50'),
    bcc: addresses('Bcc recipients, at most 50'),
    reply_to: addresses('Reply-To addresses, at most 50'),
    headers: {
      type: [HeaderInput],
      description:
        'Additional header fields: at most 50, each at most 2 KiB, or 32 KiB for structured ones such as `References`. Header fields that the service sets itself are refused',
      toRest: headersByName,
    },
    tags: {
      type: [TagInput],
      description:
        'Your own metadata, usable as a filter: at most 50 pairs, keys of `[A-Za-z0-9_.-]`, values of at most 50 characters',
      toRest: (tags: TagInput[]) => tags.map(({ key, value }) => ({ name: key, value })),
    },
    suppression_policy: {
      description: 'How to handle suppressed recipients: `reject` refuses the email, `skip` sends it to the others',
    },
    list_unsubscribe: {
      type: ListUnsubscribeInput,
      description:
        'Sets List-Unsubscribe and, with `oneClick`, List-Unsubscribe-Post. `{oneClick: true}` alone: a link of this service',
      toRest: (value: object) => restBody(ListUnsubscribeInput, value),
    },
  },
});

/** REST takes header fields as an object, in which a repeated name is refused before. */
function headersByName(headers: HeaderInput[]): Record<string, string> {
  const byName = new Map<string, string>();
  headers.forEach(({ name, value }, i) => {
    if (byName.has(name))
      throw Refusal.ofFields([{ field: `headers[${i}].name`, code: 'duplicate', message: 'must be given once' }]);
    byName.set(name, value);
  });
  return Object.fromEntries(byName);
}

@InputType('SendBatchInput', { description: 'Emails to send with one call.' })
export class SendBatchInput {
  @Field(() => [SendEmailInput], { description: `1 to ${LIMITS.batchElements} emails` })
  emails: object[];

  @Field(() => BatchValidation, {
    nullable: true,
    description: '`strict`, the default: one invalid email refuses the batch. `permissive`: the valid emails are sent',
  })
  validation?: 'strict' | 'permissive' | null;
}

export const RescheduleEmailInput = inputType('RescheduleEmailInput', ChangeEmailDto, {
  description: 'The new time of a scheduled email.',
});

/** The filter of `emails`. */
export const EmailFilter = inputType('EmailFilter', EmailsQuery, {
  description: 'Selects emails. An email must match all given fields.',
  omit: ['limit', 'after', 'before'],
  fields: {
    tags: {
      type: [TagInput],
      description: 'Only emails with these tags, up to ten',
      toRest: (tags: TagInput[]) => Object.fromEntries(tags.map(({ key, value }) => [key, value])),
    },
  },
});

/** An accepted email. `SentEmailFieldsResolver` loads `email`. */
@ObjectType('SentEmail', { description: 'An accepted email.' })
export class SentEmailType {
  @Field(() => ID, { description: 'The id of the email' })
  id: string;

  @Field(() => Boolean, {
    description: 'Whether the email was accepted by an earlier call with the same idempotency key',
  })
  replayed: boolean;
}

@ObjectType('BatchError', { description: 'Why an email of a permissive batch was refused.' })
export class BatchErrorType {
  @Field(() => String, { description: 'The same as `extensions.code` in the response to a single email' })
  code: string;

  @Field(() => String, { description: 'A human-readable sentence' })
  message: string;

  @Field(() => String, { nullable: true, description: 'The first field concerned' })
  field: string | null;
}

@ObjectType('BatchResult', { description: 'The result for one email of a batch.' })
export class BatchResultType {
  @Field(() => ID, { nullable: true, description: 'The id of the email; null if it was refused' })
  id: string | null;

  @Field(() => BatchErrorType, { nullable: true, description: 'Null if the email was accepted' })
  error: BatchErrorType | null;
}

@ObjectType('SentBatch', { description: 'An accepted batch.' })
export class SentBatchType {
  @Field(() => [BatchResultType], { description: 'One result per email, in the order of the request' })
  results: BatchResultType[];

  @Field(() => Boolean, {
    description: 'Whether the batch was accepted by an earlier call with the same idempotency key',
  })
  replayed: boolean;
}

export const RescheduledEmailType = objectType('RescheduledEmail', EmailRescheduled, {
  description: 'A rescheduled email.',
});
export const CanceledEmailType = objectType('CanceledEmail', EmailCanceled, {
  description: 'A canceled email.',
  fields: { status: { type: String, description: 'Always `canceled`' } },
});
export const RetriedEmailType = objectType('RetriedEmail', EmailRetried, {
  description: 'The new email that repeats a failed one.',
});
