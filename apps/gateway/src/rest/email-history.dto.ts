import { ApiProperty } from '@nestjs/swagger';
import {
  EMAIL_EVENT_TYPES,
  EMAIL_STATUSES,
  RECIPIENT_TYPES,
  type EmailStatus,
  type RecipientType,
} from '#libs/contracts';
import {
  WAIT_KINDS,
  WAITS,
  type AttemptView,
  type EarlierHostView,
  type EmailExplanationView,
  type EventView,
  type HeldView,
  type RecipientExplanation,
  type Wait,
} from '#libs/emails';
import type { TlsPolicyName } from '#libs/mta';
import { SmtpDto } from './emails.dto.js';
import { listOf } from './list.dto.js';

const ADDRESS = 'user@example.com';
const OUTCOMES = ['delivered', 'bounced', 'deferred'] as const;
const TLS_POLICIES = ['opportunistic', 'enforced', 'sts', 'sts_testing', 'dane'] as const satisfies TlsPolicyName[];
const CERTAINTIES = ['answered', 'not_sent', 'unknown_outcome'] as const;

/** An event of an e-mail, as webhooks get it. */
export class EmailEventDto implements EventView {
  @ApiProperty({ description: 'The same on every way out', example: 'evt_01978c0e5f7b7c3a9d21f0b64c1e88aa' })
  id: string;

  @ApiProperty({ enum: EMAIL_EVENT_TYPES, description: 'What happened' })
  type: EventView['type'];

  @ApiProperty({ format: 'date-time', description: 'When it happened' })
  created_at: string;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The same as in the call of a webhook' })
  data: EventView['data'];
}

export class EmailEventList extends listOf(EmailEventDto) {}

/** How the line to the receiving server was secured. */
export class AttemptSecurityDto implements NonNullable<AttemptView['security']> {
  @ApiProperty({ description: 'Protocol version', example: 'TLSv1.3' })
  version: string;

  @ApiProperty({ type: String, nullable: true, description: 'Cipher suite', example: 'TLS_AES_256_GCM_SHA384' })
  cipher: string | null;

  @ApiProperty({ description: 'Whether the certificate proved the server to be the one that the policy asks for' })
  verified: boolean;

  @ApiProperty({ enum: TLS_POLICIES, description: 'The rule that the connection was made under' })
  policy: TlsPolicyName;
}

/** A server that an attempt stood at before it came to the one that decided. */
export class EarlierHostDto extends SmtpDto implements EarlierHostView {
  @ApiProperty({
    description: 'Where in the dialogue it broke off, such as `connect`, `tls` or `rcpt`',
    example: 'connect',
  })
  phase: string;
}

export class AttemptDto implements AttemptView {
  @ApiProperty({ example: 'atm_01978c0e5f7b7c3a9d21f0b64c1e88aa' })
  id: string;

  @ApiProperty({ enum: ['attempt'] })
  object: 'attempt';

  @ApiProperty({ description: 'To whom it was tried', example: ADDRESS })
  recipient: string;

  @ApiProperty({ type: 'integer', description: 'Counts up per recipient, from 1', example: 1 })
  number: number;

  @ApiProperty({ enum: OUTCOMES, description: 'What came of it; what is deferred will be tried again' })
  outcome: (typeof OUTCOMES)[number];

  @ApiProperty({
    type: String,
    enum: [...CERTAINTIES, null],
    nullable: true,
    description:
      'Of what was deferred. `answered`: the server said so; `not_sent`: it did not come to sending; `unknown_outcome`: ' +
      'it was sent and no answer came, so that it may arrive twice',
  })
  certainty: (typeof CERTAINTIES)[number] | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Where in the dialogue it ended, such as `connect`, `tls`, `rcpt` or `data`; null for a delivery',
    example: 'rcpt',
  })
  phase: string | null;

  @ApiProperty({ type: SmtpDto, nullable: true, description: 'What the receiving server said' })
  smtp: SmtpDto | null;

  @ApiProperty({
    type: [EarlierHostDto],
    description:
      'Servers that it stood at before that one, in order, and what kept it from staying there. A server comes twice if ' +
      'it was tried in the clear after its TLS was broken',
  })
  earlier: EarlierHostDto[];

  @ApiProperty({
    type: AttemptSecurityDto,
    nullable: true,
    description: 'Null: in the clear, or no server was reached',
  })
  security: AttemptSecurityDto | null;

  @ApiProperty({
    type: String,
    enum: [...TLS_POLICIES, null],
    nullable: true,
    description:
      'What the connection had to keep to. `opportunistic`: TLS where it is offered; `enforced`: as the sending domain ' +
      'asks; `sts`, `sts_testing`: MTA-STS of the receiving domain; `dane`: its TLSA records. Null: no server was reached',
  })
  tls_policy: TlsPolicyName | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Our own address; null: the system chose it',
    example: '198.51.100.7',
  })
  source_ip: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The mailbox provider that the server belongs to; null for none of the known ones',
    example: 'google',
  })
  provider: string | null;

  @ApiProperty({ format: 'date-time', description: 'When it began' })
  started_at: string;

  @ApiProperty({ format: 'date-time', description: 'When it ended' })
  ended_at: string;
}

export class AttemptList extends listOf(AttemptDto) {}

export class HeldDto implements HeldView {
  @ApiProperty({
    enum: WAIT_KINDS,
    description:
      '`concurrency`: as many as may be are on their way; `rate`: as many as may went out lately; `slow_down`, ' +
      '`suspended`: the words of a server caused it; `warm_up`: the source address is new there; `dns`: none of our ' +
      'name servers answers',
  })
  kind: HeldView['kind'];

  @ApiProperty({ description: 'A mailbox provider, or `domain:` and a domain', example: 'google' })
  queue: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Our address that it would go out from',
    example: '198.51.100.7',
  })
  source: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The server whose words caused it',
    example: 'mx1.example.com',
  })
  mx: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What it answered, perhaps to another mail; addresses are left out',
    example: '421 4.7.28 unusual rate of mail from your address',
  })
  words: string | null;
}

export class RecipientExplanationDto implements RecipientExplanation {
  @ApiProperty({ description: 'The bare address', example: ADDRESS })
  address: string;

  @ApiProperty({ enum: RECIPIENT_TYPES, description: 'The field that names the recipient' })
  type: RecipientType;

  @ApiProperty({ enum: EMAIL_STATUSES, description: 'How it stands with this recipient' })
  state: EmailStatus;

  @ApiProperty({
    type: String,
    enum: [...WAITS, null],
    nullable: true,
    description:
      '`schedule`: its time; `account`: the end of a block or debt; `worker`: a free worker; `answer`: the receiving ' +
      'server, right now; `retry`: the next attempt; `shaping`: the pace at which its queue may be sent to. Null: nothing ' +
      'more will happen',
  })
  waiting_for: Wait | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null where nobody can know' })
  until: string | null;

  @ApiProperty({
    description: 'A sentence for people, with the words of the server that caused it',
    example: 'mx1.example.com answered: 450 4.2.0 greylisted, try again later',
  })
  because: string;

  @ApiProperty({ type: HeldDto, nullable: true, description: 'What holds it back; null unless it waits for `shaping`' })
  held: HeldDto | null;

  @ApiProperty({ type: SmtpDto, nullable: true, description: 'What came of the last attempt; null before the first' })
  smtp: SmtpDto | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When delivery is given up' })
  gives_up_at: string | null;
}

export class ExplanationDto implements EmailExplanationView {
  @ApiProperty({ description: 'The id of the e-mail', example: 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa' })
  id: string;

  @ApiProperty({ enum: ['explanation'] })
  object: 'explanation';

  @ApiProperty({ enum: EMAIL_STATUSES, description: 'How it stands with the mail as a whole' })
  status: EmailStatus;

  @ApiProperty({ type: [RecipientExplanationDto], description: 'Why it stands so, for each recipient' })
  recipients: RecipientExplanationDto[];
}
