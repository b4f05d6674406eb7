import { Field, ObjectType } from '@nestjs/graphql';
import { emailShapes } from '#libs/emails';
import { CapturedDto, CapturedQuery } from '../../rest/captured/captured.dto.js';
import { connectionType } from '../connection.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { Long } from '../scalars.js';

const { capturedMessage } = emailShapes;
export const CapturedEmailType = objectType(capturedMessage.name, CapturedDto, { description: capturedMessage.about });
export const CapturedEmailConnection = connectionType<CapturedDto>(capturedMessage.name, CapturedEmailType);
export const CapturedEmailFilter = inputType('CapturedEmailFilter', CapturedQuery, {
  description: 'Selects captured messages. A message must match all given fields.',
  omit: ['limit', 'after'],
});

@ObjectType('DeletedCapturedEmails', { description: 'The result of deleting all captured emails.' })
export class DeletedCapturedEmailsType {
  @Field(() => Long, { description: 'Number of messages deleted' })
  count: number;
}
