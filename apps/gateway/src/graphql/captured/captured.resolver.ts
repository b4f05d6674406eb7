import { Args, Context, Field, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { capturedMessage } from '#libs/emails';
import { CapturedController } from '../../rest/captured/captured.controller.js';
import { CapturedDto, CapturedQuery } from '../../rest/captured/captured.dto.js';
import { EmailsController } from '../../rest/emails/emails.controller.js';
import type { EmailItemDto } from '../../rest/emails/emails.dto.js';
import { connectionType, ForwardPageArgs, pageParameters, toConnection, type Connection } from '../connection.js';
import { inputType, queryDtoOf, restQuery } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { EmailLoaders } from '../emails/email-loaders.js';
import { EmailType } from '../emails/email.type.js';
import { CallerOf, type GraphqlContext } from '../graphql-caller.js';
import { Long } from '../scalars.js';

const CapturedEmailType = objectType(capturedMessage.name, CapturedDto, { description: capturedMessage.about });
const CapturedEmailConnection = connectionType<CapturedDto>(capturedMessage.name, CapturedEmailType);
const CapturedEmailFilter = inputType('CapturedEmailFilter', CapturedQuery, {
  description: 'Selects captured messages. A message must match all given fields.',
  omit: ['limit', 'after'],
});

@ObjectType('DeletedCapturedEmails', { description: 'The result of clearing the built-in inbox.' })
export class DeletedCapturedEmailsType {
  @Field(() => Long, { description: 'Number of messages deleted' })
  count: number;
}

/** The built-in inbox of capture mode and of test keys. */
@Resolver(() => CapturedEmailType)
export class CapturedResolver {
  constructor(
    private readonly rest: CapturedController,
    private readonly emails: EmailLoaders,
  ) {}

  @Query(() => CapturedEmailConnection, {
    description:
      'The built-in inbox of capture mode and of test keys, newest first. Keeps the newest 10,000 messages of an account, by default for 7 days.',
  })
  async capturedEmails(
    @CallerOf(CapturedController, 'list') caller: Principal,
    @Args() page: ForwardPageArgs,
    @Args('filter', { type: () => CapturedEmailFilter, nullable: true, description: 'Only messages that match it' })
    filter?: object | null,
  ): Promise<Connection<CapturedDto>> {
    const query = queryDtoOf(CapturedQuery, { ...restQuery(CapturedEmailFilter, filter), ...pageParameters(page) });
    return toConnection(await this.rest.list(caller, query), page);
  }

  @Mutation(() => DeletedCapturedEmailsType, { description: 'Deletes all messages of the built-in inbox.' })
  deleteCapturedEmails(@CallerOf(CapturedController, 'clear') caller: Principal): Promise<DeletedCapturedEmailsType> {
    return this.rest.clear(caller);
  }

  @ResolveField(() => EmailType, { nullable: true, description: 'The e-mail that the message was made of.' })
  email(
    @CallerOf(EmailsController, 'find') caller: Principal,
    @Parent() { email_id }: CapturedDto,
    @Context() context: GraphqlContext,
  ): Promise<EmailItemDto | null> {
    return this.emails.of(context, caller).summaries.load(email_id);
  }
}
