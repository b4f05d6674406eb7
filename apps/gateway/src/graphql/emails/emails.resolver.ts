import { Args, Context, ID, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { EmailsController } from '../../api/generated.js';
import type { EmailItemDto } from '../../rest/emails/emails.dto.js';
import { withoutContent } from '../../rest/emails/without-content.js';
import { CallerOf, type GraphqlContext } from '../graphql-caller.js';
import { EmailLoaders } from './email-loaders.js';
import { EmailType } from './email.type.js';

/** Reads one email. Its nested fields are in `email-fields.resolver.ts`. */
@Resolver(() => EmailType)
export class EmailsResolver {
  constructor(private readonly loaders: EmailLoaders) {}

  @Query(() => EmailType, { nullable: true, description: 'One email. Null if the account has no such email.' })
  async email(
    @CallerOf(EmailsController, 'find', { states: true }) caller: Principal,
    @Args('id', { type: () => ID, description: 'The id of the email' }) id: string,
    @Context() context: GraphqlContext,
  ): Promise<EmailItemDto | null> {
    const email = await this.loaders.of(context, caller).summaries.load(id);
    return email && withoutContent(caller, email);
  }
}
