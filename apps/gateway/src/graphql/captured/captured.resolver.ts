import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { EmailsController } from '../../api/generated.js';
import type { CapturedDto } from '../../rest/captured/captured.dto.js';
import type { EmailItemDto } from '../../rest/emails/emails.dto.js';
import { EmailLoaders } from '../emails/email-loaders.js';
import { EmailType } from '../emails/email.type.js';
import { CallerOf, type GraphqlContext } from '../graphql-caller.js';
import { CapturedEmailType } from './captured.type.js';

/** Fields of a captured message that are read apart. */
@Resolver(() => CapturedEmailType)
export class CapturedResolver {
  constructor(private readonly emails: EmailLoaders) {}

  @ResolveField(() => EmailType, { nullable: true, description: 'The email that the message was made of.' })
  email(
    @CallerOf(EmailsController, 'find') caller: Principal,
    @Parent() { email_id }: CapturedDto,
    @Context() context: GraphqlContext,
  ): Promise<EmailItemDto | null> {
    return this.emails.of(context, caller).summaries.load(email_id);
  }
}
