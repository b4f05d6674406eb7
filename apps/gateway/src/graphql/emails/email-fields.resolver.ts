import { Args, Context, ID, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { DomainsController, EmailAttachmentsController, EmailsController } from '../../api/generated.js';
import type { DomainDto } from '../../rest/domains/domains.dto.js';
import type { LinkedAttachmentDto } from '../../rest/emails/email-attachments.dto.js';
import type { AttemptDto, EmailEventDto, ExplanationDto } from '../../rest/emails/email-history.dto.js';
import type { EmailDto, EmailItemDto } from '../../rest/emails/emails.dto.js';
import { orNotFound } from '../../rest/or-not-found.js';
import { PageArgs, toConnection, type Connection } from '../connection.js';
import { DomainLoaders } from '../domains/domain-loaders.js';
import { DomainType } from '../domains/domain.type.js';
import { CallerOf, type GraphqlContext } from '../graphql-caller.js';
import { SentEmailType } from './email-input.type.js';
import { EmailLoaders, type LoadedContent } from './email-loaders.js';
import {
  AttachmentType,
  AttemptConnection,
  EmailContentType,
  EmailEventConnection,
  EmailType,
  ExplanationType,
  HeaderType,
  RecipientType,
  toHeaders,
  TrackingType,
} from './email.type.js';

const DELETED = 'Null if there is none, or after it was deleted.';

/** The fields of an email that lists do not read, each loaded for all emails of the operation together. */
@Resolver(() => EmailType)
export class EmailFieldsResolver {
  constructor(
    private readonly loaders: EmailLoaders,
    private readonly domains: DomainLoaders,
  ) {}

  @ResolveField(() => EmailContentType, { description: 'The content of the email.' })
  async content(
    @CallerOf(EmailsController, 'find') caller: Principal,
    @Parent() { id }: EmailItemDto,
    @Context() context: GraphqlContext,
  ): Promise<EmailContentType> {
    const { headers, ...content } = await this.contentOf(context, caller, id);
    return { ...content, headers: toHeaders(headers) };
  }

  @ResolveField(() => String, { nullable: true, description: `The HTML body. ${DELETED}` })
  async html(
    @CallerOf(EmailsController, 'find') caller: Principal,
    @Parent() { id }: EmailItemDto,
    @Context() context: GraphqlContext,
  ): Promise<string | null> {
    return (await this.contentOf(context, caller, id)).html;
  }

  @ResolveField(() => String, { nullable: true, description: `The plain-text body. ${DELETED}` })
  async text(
    @CallerOf(EmailsController, 'find') caller: Principal,
    @Parent() { id }: EmailItemDto,
    @Context() context: GraphqlContext,
  ): Promise<string | null> {
    return (await this.contentOf(context, caller, id)).text;
  }

  @ResolveField(() => [HeaderType], { description: 'Your own header fields, as in `content`.' })
  async headers(
    @CallerOf(EmailsController, 'find') caller: Principal,
    @Parent() { id }: EmailItemDto,
    @Context() context: GraphqlContext,
  ): Promise<HeaderType[]> {
    return toHeaders((await this.contentOf(context, caller, id)).headers);
  }

  @ResolveField(() => [AttachmentType], { description: 'The attachments; empty after the content was deleted.' })
  async attachments(
    @CallerOf(EmailAttachmentsController, 'list') caller: Principal,
    @Parent() { id }: EmailItemDto,
    @Context() context: GraphqlContext,
  ): Promise<LinkedAttachmentDto[]> {
    return (await this.contentOf(context, caller, id)).attachments;
  }

  @ResolveField(() => [RecipientType], { description: 'Each recipient with its delivery status.' })
  async recipients(
    @CallerOf(EmailsController, 'find', { states: true }) caller: Principal,
    @Parent() { id }: EmailItemDto,
    @Context() context: GraphqlContext,
  ): Promise<EmailDto['recipients']> {
    return (await this.loaders.of(context, caller).details.load(id))?.recipients ?? [];
  }

  @ResolveField(() => ID, { nullable: true, description: 'The failed email that this one repeats.' })
  async retryOf(
    @CallerOf(EmailsController, 'find', { states: true }) caller: Principal,
    @Parent() { id }: EmailItemDto,
    @Context() context: GraphqlContext,
  ): Promise<string | null> {
    return (await this.loaders.of(context, caller).details.load(id))?.retry_of ?? null;
  }

  @ResolveField(() => TrackingType, {
    nullable: true,
    description: 'Tracking of the email; null if neither opens nor clicks are tracked.',
  })
  async tracking(
    @CallerOf(EmailsController, 'find', { states: true }) caller: Principal,
    @Parent() { id }: EmailItemDto,
    @Context() context: GraphqlContext,
  ): Promise<EmailDto['tracking']> {
    return (await this.loaders.of(context, caller).details.load(id))?.tracking ?? null;
  }

  @ResolveField(() => EmailEventConnection, { description: 'The events of the email, oldest first.' })
  async events(
    @CallerOf(EmailsController, 'events') caller: Principal,
    @Parent() { id }: EmailItemDto,
    @Args() page: PageArgs,
    @Context() context: GraphqlContext,
  ): Promise<Connection<EmailEventDto>> {
    return toConnection(await this.loaders.of(context, caller).events.load({ id, page }), page);
  }

  @ResolveField(() => AttemptConnection, {
    description: 'The delivery attempts for all recipients, newest first, with the replies of the receiving servers.',
  })
  async attempts(
    @CallerOf(EmailsController, 'attempts') caller: Principal,
    @Parent() { id }: EmailItemDto,
    @Args() page: PageArgs,
    @Context() context: GraphqlContext,
  ): Promise<Connection<AttemptDto>> {
    return toConnection(await this.loaders.of(context, caller).attempts.load({ id, page }), page);
  }

  @ResolveField(() => ExplanationType, {
    nullable: true,
    description: 'For each recipient: the reason for waiting, until when, and the server reply that caused it.',
  })
  explanation(
    @CallerOf(EmailsController, 'explain') caller: Principal,
    @Parent() { id }: EmailItemDto,
    @Context() context: GraphqlContext,
  ): Promise<ExplanationDto | null> {
    return this.loaders.of(context, caller).explanations.load(id);
  }

  @ResolveField(() => DomainType, { nullable: true, description: 'The sending domain. Null after its removal.' })
  domain(
    @CallerOf(DomainsController, 'find') caller: Principal,
    @Parent() { domain_id }: EmailItemDto,
    @Context() context: GraphqlContext,
  ): Promise<DomainDto | null> {
    return this.domains.of(context, caller).byId.load(domain_id);
  }

  private contentOf(context: GraphqlContext, caller: Principal, id: string): Promise<LoadedContent> {
    return this.loaders.of(context, caller).contents.load(id);
  }
}

/** The field of an accepted email that is loaded. */
@Resolver(() => SentEmailType)
export class SentEmailFieldsResolver {
  constructor(private readonly loaders: EmailLoaders) {}

  @ResolveField(() => EmailType, { description: 'The email. Requires the scope `emails.read`.' })
  async email(
    @CallerOf(EmailsController, 'find') caller: Principal,
    @Parent() { id }: SentEmailType,
    @Context() context: GraphqlContext,
  ): Promise<EmailItemDto> {
    return orNotFound(await this.loaders.of(context, caller).summaries.load(id));
  }
}
