import { ApiProperty } from '@nestjs/swagger';
import {
  EMAIL_EVENT_TYPES,
  EMAIL_STATUSES,
  RECIPIENT_TYPES,
  type EmailStatus,
  type RecipientType,
} from '#libs/contracts';
import {
  WAITS,
  type AttemptView,
  type EmailExplanationView,
  type EventView,
  type RecipientExplanation,
  type Wait,
} from '#libs/emails';
import { SmtpDto } from './emails.dto.js';
import { listOf } from './list.dto.js';

const ADDRESS = 'user@example.com';
const OUTCOMES = ['delivered', 'bounced', 'deferred'] as const;
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

  @ApiProperty({ format: 'date-time', description: 'When it began' })
  started_at: string;

  @ApiProperty({ format: 'date-time', description: 'When it ended' })
  ended_at: string;
}

export class AttemptList extends listOf(AttemptDto) {}

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
      'server, right now; `retry`: the next attempt. Null: nothing more will happen',
  })
  waiting_for: Wait | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null where nobody can know' })
  until: string | null;

  @ApiProperty({
    description: 'A sentence for people, with the words of the server that caused it',
    example: 'mx1.example.com answered: 450 4.2.0 greylisted, try again later',
  })
  because: string;

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
