import { EMAIL_STATUSES, LAST_EVENTS, type EmailStatus, type LastEvent } from '#libs/contracts';
import { emailShapes } from '#libs/emails';
import { responseClass } from '../../openapi/definition-classes.js';
import {
  EnumProperty,
  exampleId,
  IdProperty,
  KindProperty,
  namedBy,
  TAG_KEY_PATTERN,
  TextProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { FieldRule } from '../validation/field-rule.decorator.js';
import { QueryAddress, QueryDomain, QueryEnum, QueryText, QueryTime } from '../validation/query-fields.js';
import { tagFilterRule } from '../validation/query-rules.js';

const ADDRESS = 'user@example.com';

/** Parameters of `GET /emails`. */
export class EmailsQuery extends pageQueryOf('em') {
  @QueryEnum(EMAIL_STATUSES, { description: 'Only emails with this status', example: 'bounced' })
  status?: EmailStatus;

  @QueryEnum(LAST_EVENTS, { description: 'Only emails whose latest event is this one', example: 'opened' })
  last_event?: LastEvent;

  @QueryAddress('Only emails to this address, in To, Cc or Bcc', ADDRESS)
  to?: string;

  @QueryDomain('Only emails with a recipient at exactly this domain, in To, Cc or Bcc', 'example.com')
  recipient_domain?: string;

  @QueryEnum(['true'], {
    description:
      'Only emails with a recipient that has no final outcome yet; with `recipient_domain`, with such a recipient at that domain',
    example: 'true',
  })
  waiting?: 'true';

  @QueryAddress('Only emails from this address', 'orders@mail.example.com')
  from?: string;

  @QueryText(
    'Only emails of this sending domain: its name, or its id. The id also finds emails of a removed domain',
    'mail.example.com',
  )
  domain?: string;

  @QueryText('Only emails whose subject starts with this text, ignoring case', 'Your order')
  subject?: string;

  @QueryText(
    'Only emails with this text in the subject, in an address or its name (From, To, Cc, Bcc) or in the value of a tag, ignoring case. A page may then have fewer entries than `limit`, or none, although `has_more` is true: `next_cursor` continues the search',
    'ada',
  )
  search?: string;

  @FieldRule(tagFilterRule, {
    type: 'object',
    ...namedBy(TAG_KEY_PATTERN),
    additionalProperties: { type: 'string', pattern: '^[^\\u0000-\\u001f\\u007f]*$' },
    maxProperties: 10,
    description: 'Only emails with these tags: `tags[campaign]=spring`, up to ten',
    example: { campaign: 'spring' },
  })
  tags?: Record<string, string>;

  @QueryTime('Only emails accepted at or after this time')
  created_after?: string;

  @QueryTime('Only emails accepted before this time')
  created_before?: string;

  @QueryEnum(['true'], {
    description: 'Only emails that were accepted with `scheduled_at`, sent or not',
    example: 'true',
  })
  scheduled?: 'true';
}

/** An email in a list. */
export class EmailItemDto extends responseClass(emailShapes.emailSummary) {}

export class EmailList extends listOf(EmailItemDto, 'em') {}

/** Response of `GET /emails/:id`. */
export class EmailDto extends responseClass(emailShapes.email) {}

/** Body of `PATCH /emails/:id`. */
export class ChangeEmailDto {
  @FieldRule(emailShapes.newEmail.ruleOf('scheduled_at'), {
    required: true,
    type: String,
    format: 'date-time',
    description:
      'The new time, at most 72 hours from now and 30 days after the email was accepted. A time up to 60 seconds in the past means now',
  })
  scheduled_at: string;
}

class EmailChangedDto {
  @KindProperty('email')
  object: 'email';

  @IdProperty('em')
  id: string;
}

export class EmailRescheduled extends EmailChangedDto {
  @TimeProperty('The time at which it will be sent')
  scheduled_at: string;
}

export class EmailCanceled extends EmailChangedDto {
  @EnumProperty(['canceled'], 'It will not be sent')
  status: 'canceled';
}

export class EmailRetried extends EmailChangedDto {
  @TextProperty('The email that is repeated', exampleId('em'))
  retry_of: string;
}
