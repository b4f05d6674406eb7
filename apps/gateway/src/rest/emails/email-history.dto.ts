import { ApiProperty } from '@nestjs/swagger';
import {
  EMAIL_EVENT_TYPES,
  EMAIL_STATUSES,
  RECIPIENT_TYPES,
  type EmailStatus,
  type RecipientType,
} from '#libs/contracts';
import type { AttemptView, EarlierHostView, EventView } from '#libs/emails';
import type { TlsPolicyName } from '#libs/mta';
import {
  WAIT_KINDS,
  WAITS,
  type EmailExplanationView,
  type HeldView,
  type RecipientExplanation,
  type Wait,
} from '#libs/queue';
import {
  EnumProperty,
  FlagProperty,
  IdProperty,
  IntegerProperty,
  KindProperty,
  NullableTextProperty,
  NullableTimeProperty,
  TextProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { SmtpDto } from './emails.dto.js';

const ADDRESS = 'user@example.com';
const OUTCOMES = ['delivered', 'bounced', 'deferred'] as const;
const TLS_POLICIES = ['opportunistic', 'enforced', 'sts', 'sts_testing', 'dane'] as const satisfies TlsPolicyName[];
const CERTAINTIES = ['answered', 'not_sent', 'unknown_outcome'] as const;

/** An event of an e-mail, as webhooks receive it. */
export class EmailEventDto implements EventView {
  @IdProperty('evt', 'The same id as in webhooks and in `GET /events`')
  id: string;

  @EnumProperty(EMAIL_EVENT_TYPES, 'The type of the event')
  type: EventView['type'];

  @TimeProperty('When it happened')
  created_at: string;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The same as in the call of a webhook' })
  data: EventView['data'];
}

export class EmailEventsQuery extends pageQueryOf('evt') {}
export class EmailEventList extends listOf(EmailEventDto, 'evt') {}

/** TLS parameters of the connection to the receiving server. */
export class AttemptSecurityDto implements NonNullable<AttemptView['security']> {
  @TextProperty('Protocol version', 'TLSv1.3')
  version: string;

  @NullableTextProperty('Cipher suite', 'TLS_AES_256_GCM_SHA384')
  cipher: string | null;

  @FlagProperty('Whether the certificate was verified as the policy requires')
  verified: boolean;

  @EnumProperty(TLS_POLICIES, 'The TLS policy of the connection')
  policy: TlsPolicyName;
}

/** A server that an attempt tried before the one that decided its outcome. */
export class EarlierHostDto extends SmtpDto implements EarlierHostView {
  @TextProperty('The phase in which it failed, such as `connect`, `tls` or `rcpt`', 'connect')
  phase: string;
}

export class AttemptDto implements AttemptView {
  @IdProperty('atm')
  id: string;

  @KindProperty('attempt')
  object: 'attempt';

  @TextProperty('The recipient', ADDRESS)
  recipient: string;

  @IntegerProperty('Counts up per recipient, from 1', 1)
  number: number;

  @EnumProperty(OUTCOMES, '`deferred`: the recipient is tried again')
  outcome: (typeof OUTCOMES)[number];

  @ApiProperty({
    type: String,
    enum: [...CERTAINTIES, null],
    nullable: true,
    description:
      'For a deferred recipient. `answered`: the server replied; `not_sent`: the message was not sent; ' +
      '`unknown_outcome`: the message was sent but no reply arrived, so it may be delivered twice',
  })
  certainty: (typeof CERTAINTIES)[number] | null;

  @NullableTextProperty(
    'The phase in which the attempt ended, such as `connect`, `tls`, `rcpt` or `data`; null for a delivery',
    'rcpt',
  )
  phase: string | null;

  @ApiProperty({ type: SmtpDto, nullable: true, description: 'The reply of the receiving server' })
  smtp: SmtpDto | null;

  @ApiProperty({
    type: [EarlierHostDto],
    description:
      'Servers tried before the one that decided the outcome, in order, and why each failed. A server appears twice if it was tried without TLS ' +
      'after its TLS failed',
  })
  earlier: EarlierHostDto[];

  @ApiProperty({
    type: AttemptSecurityDto,
    nullable: true,
    description: 'TLS of the connection; null if it was not encrypted or no server was reached',
  })
  security: AttemptSecurityDto | null;

  @ApiProperty({
    type: String,
    enum: [...TLS_POLICIES, null],
    nullable: true,
    description:
      'The TLS policy that applied. `opportunistic`: TLS if offered; `enforced`: required by the setting of the sending ' +
      'domain; `sts`, `sts_testing`: MTA-STS of the receiving domain; `dane`: its TLSA records. Null if no server was reached',
  })
  tls_policy: TlsPolicyName | null;

  @NullableTextProperty('Source address of the connection; null if the operating system chose it', '198.51.100.7')
  source_ip: string | null;

  @NullableTextProperty('The mailbox provider of the server; null if it is not a known one', 'google')
  provider: string | null;

  @TimeProperty('When the attempt started')
  started_at: string;

  @TimeProperty('When the attempt ended')
  ended_at: string;
}

export class AttemptsQuery extends pageQueryOf('atm') {}
export class AttemptList extends listOf(AttemptDto, 'atm') {}

export class HeldDto implements HeldView {
  @EnumProperty(
    WAIT_KINDS,
    '`concurrency`: the limit of parallel deliveries is reached; `rate`: the rate limit is reached; `slow_down`, ' +
      '`suspended`: caused by a server reply; `warm_up`: the source address is still warming up there; `dns`: no DNS ' +
      'resolver answers',
  )
  kind: HeldView['kind'];

  @TextProperty('A mailbox provider, or `domain:` and a domain', 'google')
  queue: string;

  @NullableTextProperty('The source address that the message would be sent from', '198.51.100.7')
  source: string | null;

  @NullableTextProperty('The server whose reply caused it', 'mx1.example.com')
  mx: string | null;

  @NullableTextProperty(
    'The reply, possibly to another message, with addresses removed',
    '421 4.7.28 unusual rate of mail from your address',
  )
  words: string | null;
}

export class RecipientExplanationDto implements RecipientExplanation {
  @TextProperty('The bare address', ADDRESS)
  address: string;

  @EnumProperty(RECIPIENT_TYPES, 'The field that names the recipient')
  type: RecipientType;

  @EnumProperty(EMAIL_STATUSES, 'The status for this recipient')
  state: EmailStatus;

  @ApiProperty({
    type: String,
    enum: [...WAITS, null],
    nullable: true,
    description:
      '`schedule`: its scheduled time; `account`: the end of a block or overdue payment; `worker`: a free worker; ' +
      '`answer`: a reply of the receiving server to the attempt in progress; `retry`: the next attempt; `shaping`: the ' +
      'sending limits of its queue. Null: nothing more will happen',
  })
  waiting_for: Wait | null;

  @NullableTimeProperty('Until when it waits; null if unknown')
  until: string | null;

  @TextProperty(
    'A human-readable sentence with the server reply that caused the wait',
    'mx1.example.com answered: 450 4.2.0 greylisted, try again later',
  )
  because: string;

  @ApiProperty({
    type: HeldDto,
    nullable: true,
    description: 'The limit that applies; null unless waiting for `shaping`',
  })
  held: HeldDto | null;

  @ApiProperty({ type: SmtpDto, nullable: true, description: 'Result of the last attempt; null before the first' })
  smtp: SmtpDto | null;

  @NullableTimeProperty('When delivery will be abandoned')
  gives_up_at: string | null;
}

export class ExplanationDto implements EmailExplanationView {
  @IdProperty('em', 'The id of the e-mail')
  id: string;

  @KindProperty('explanation')
  object: 'explanation';

  @EnumProperty(EMAIL_STATUSES, 'The status of the e-mail as a whole')
  status: EmailStatus;

  @ApiProperty({ type: [RecipientExplanationDto], description: 'The explanation for each recipient' })
  recipients: RecipientExplanationDto[];
}
