import { Args, Context, ID, Query, Resolver } from '@nestjs/graphql';
import { EmailQueries } from '#libs/emails';
import { EmailType, presentEmail } from './email.type.js';
import type { GraphqlCaller } from './graphql-caller.js';

@Resolver(() => EmailType)
export class EmailsResolver {
  constructor(private readonly emails: EmailQueries) {}

  @Query(() => EmailType, { nullable: true, description: 'Null when the account has no such mail.' })
  async email(
    @Args('id', { type: () => ID }) id: string,
    @Context('caller') caller: GraphqlCaller,
  ): Promise<EmailType | null> {
    const { accountId } = caller.allowed('emails.read');
    const view = await this.emails.find(accountId, id);
    return view && presentEmail(view);
  }
}
