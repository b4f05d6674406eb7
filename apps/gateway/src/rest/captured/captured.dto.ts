import { ApiProperty } from '@nestjs/swagger';
import type { CapturedView } from '#libs/emails';
import {
  EXAMPLE_TIME,
  IdProperty,
  IntegerProperty,
  KindProperty,
  TextProperty,
  TextsProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { listOf } from '../list.dto.js';
import { QueryAddress, QueryId, QueryLimit } from '../validation/query-fields.js';

export class CapturedQuery {
  @QueryAddress('Only messages to this address', 'user@example.com')
  to?: string;

  @QueryId('em', 'Only messages of this e-mail')
  email_id?: string;

  @QueryLimit()
  limit?: string;

  @QueryId('cap', 'The id of a message: the page starts after it')
  after?: string;
}

export class CapturedDto implements CapturedView {
  @IdProperty('cap', 'The id of the captured message')
  id: string;

  @KindProperty('captured')
  object: 'captured';

  @IdProperty('em', 'The e-mail that it was made from')
  email_id: string;

  @TextProperty('Envelope sender', 'b+5b9a2c0d@bounces.mail.example.com')
  mail_from: string;

  @TextsProperty('Envelope recipients', ['user@example.net'])
  rcpt_to: string[];

  @IntegerProperty('Size of the message in bytes', 2417)
  size: number;

  @TimeProperty('When it was captured', EXAMPLE_TIME)
  created_at: string;
}

export class CapturedList extends listOf(CapturedDto, 'cap') {}

export class CapturedCleared {
  @KindProperty('captured')
  object: 'captured';

  @ApiProperty({ enum: [true], description: 'Always true' })
  deleted: true;

  @IntegerProperty('Number of messages removed', 12)
  count: number;
}
