import { Args, Context, ID, Query, Resolver } from '@nestjs/graphql';
import { EmailQueries } from '#libs/emails';
import { EmailType, toEmail } from './email.type.js';
import type { GraphqlCaller } from '../graphql-caller.js';

@Resolver(() => EmailType)
export class EmailsResolver {
  constructor(private readonly emails: EmailQueries) {}

  @Query(() => EmailType, { nullable: true, description: 'Null if the account has no such e-mail.' })
  async email(
    @Args('id', { type: () => ID }) id: string,
    @Context('caller') caller: GraphqlCaller,
  ): Promise<EmailType | null> {
    const view = await this.emails.find(caller.allowed('emails.read'), id);
    return view && toEmail(view);
  }
}
