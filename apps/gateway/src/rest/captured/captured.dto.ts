import { ApiProperty } from '@nestjs/swagger';
import { emailShapes } from '#libs/emails';
import { responseClass } from '../../openapi/definition-classes.js';
import { IntegerProperty, KindProperty } from '../../openapi/properties.js';
import { listOf } from '../list.dto.js';
import { QueryAddress, QueryId, QueryLimit, QueryText } from '../validation/query-fields.js';

export class CapturedQuery {
  @QueryAddress('Only messages to this address', 'user@example.com')
  to?: string;

  @QueryText(
    'Only messages with this text in the subject, in an address or its name or in the value of a tag, ignoring case',
    'ada',
  )
  search?: string;

  @QueryId('em', 'Only messages of this email')
  email_id?: string;

  @QueryLimit()
  limit?: string;

  @QueryId('cap', 'The id of a message: the page starts after it')
  after?: string;
}

export class CapturedDto extends responseClass(emailShapes.capturedMessage) {}

export class CapturedList extends listOf(CapturedDto, 'cap') {}

export class CapturedCleared {
  @KindProperty('captured')
  object: 'captured';

  @ApiProperty({ enum: [true], description: 'Always true' })
  deleted: true;

  @IntegerProperty('Number of messages removed', 12)
  count: number;
}
