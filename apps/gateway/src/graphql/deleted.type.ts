import { Field, ID, ObjectType } from '@nestjs/graphql';

@ObjectType('Deleted', { description: 'The result of a deletion.' })
export class DeletedType {
  @Field(() => ID, { description: 'The id of what was deleted' })
  id: string;

  @Field(() => Boolean, { description: 'Always true' })
  deleted: true;
}
