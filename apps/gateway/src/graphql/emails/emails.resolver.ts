import { Args, Context, ID, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { EmailsController } from '../../rest/emails/emails.controller.js';
import { EmailsQuery, type EmailItemDto } from '../../rest/emails/emails.dto.js';
import { PageArgs, pageParameters, toConnection, type Connection } from '../connection.js';
import { queryDtoOf, restQuery } from '../dto/input-type.js';
import { CallerOf, type GraphqlContext } from '../graphql-caller.js';
import { EmailLoaders } from './email-loaders.js';
import { EmailFilter } from './email-input.type.js';
import { EmailConnection, EmailType } from './email.type.js';

/** Reads e-mails. Their nested fields are in `email-fields.resolver.ts`. */
@Resolver(() => EmailType)
export class EmailsResolver {
  constructor(
    private readonly rest: EmailsController,
    private readonly loaders: EmailLoaders,
  ) {}

  @Query(() => EmailConnection, { description: 'The e-mails of the account, newest first.' })
  async emails(
    @CallerOf(EmailsController, 'list') caller: Principal,
    @Args() page: PageArgs,
    @Args('filter', { type: () => EmailFilter, nullable: true, description: 'Only e-mails that match it' })
    filter?: object | null,
  ): Promise<Connection<EmailItemDto>> {
    const query = queryDtoOf(EmailsQuery, { ...restQuery(EmailFilter, filter), ...pageParameters(page) });
    return toConnection(await this.rest.list(caller, query), page);
  }

  @Query(() => EmailType, { nullable: true, description: 'One e-mail. Null if the account has no such e-mail.' })
  email(
    @CallerOf(EmailsController, 'find') caller: Principal,
    @Args('id', { type: () => ID, description: 'The id of the e-mail' }) id: string,
    @Context() context: GraphqlContext,
  ): Promise<EmailItemDto | null> {
    return this.loaders.of(context, caller).summaries.load(id);
  }
}
