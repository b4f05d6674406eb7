import { ApiProperty } from '@nestjs/swagger';
import { LIMITS } from '#libs/contracts';
import type { CapturedView } from '#libs/emails';
import { ByRule } from './by-rule.js';
import { listOf } from './list.dto.js';
import { idRule, limitRule, queryAddressRule } from './query-rules.js';

export class CapturedQuery {
  @ByRule(queryAddressRule, {
    doc: { type: String, description: 'Mails to this address', example: 'user@example.com' },
  })
  to?: string;

  @ByRule(idRule('em'), {
    doc: {
      type: String,
      description: 'Mails of this e-mail id',
      example: 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa',
    },
  })
  email_id?: string;

  @ByRule(limitRule, {
    doc: {
      description: 'Entries per page',
      type: 'integer',
      minimum: 1,
      maximum: LIMITS.listMaximum,
      default: LIMITS.listDefault,
    },
  })
  limit?: string;

  @ByRule(idRule('cap'), {
    doc: {
      type: String,
      description: 'The id of the last entry seen',
      example: 'cap_01978c0e5f7b7c3a9d21f0b64c1e88aa',
    },
  })
  after?: string;
}

export class CapturedDto implements CapturedView {
  @ApiProperty({ description: 'The id of this copy', example: 'cap_01978c0e5f7b7c3a9d21f0b64c1e88aa' })
  id: string;

  @ApiProperty({ enum: ['captured'] })
  object: 'captured';

  @ApiProperty({ description: 'The e-mail that this is a copy of', example: 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa' })
  email_id: string;

  @ApiProperty({ description: 'Envelope sender', example: 'b+5b9a2c0d@bounces.mail.example.com' })
  mail_from: string;

  @ApiProperty({ description: 'Envelope recipients', type: [String], example: ['user@example.net'] })
  rcpt_to: string[];

  @ApiProperty({ description: 'Bytes of the mail as it would have gone out', type: 'integer', example: 2417 })
  size: number;

  @ApiProperty({ format: 'date-time', description: 'When it was captured', example: '2026-01-31T09:30:00.000Z' })
  created_at: string;
}

export class CapturedList extends listOf(CapturedDto) {}

export class CapturedCleared {
  @ApiProperty({ enum: ['captured'] })
  object: 'captured';

  @ApiProperty({ enum: [true], description: 'They are gone' })
  deleted: true;

  @ApiProperty({ description: 'How many mails were removed', type: 'integer', example: 12 })
  count: number;
}
