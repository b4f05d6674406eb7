import { Args, Context, Mutation, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { LIMITS, orRefusal } from '#libs/contracts';
import { EmailIntake, type BatchElement } from '#libs/emails';
import { EmailsController } from '../../api/generated.js';
import type { EmailItemDto } from '../../rest/emails/emails.dto.js';
import { parseBatch } from '../../rest/emails/parse-batch.js';
import { SendingController } from '../../rest/emails/sending.controller.js';
import { toSubmission } from '../../rest/emails/to-submission.js';
import { orNotFound } from '../../rest/or-not-found.js';
import { restBody } from '../dto/input-type.js';
import { CallerOf, type GraphqlContext } from '../graphql-caller.js';
import { fieldIdempotency, IDEMPOTENCY_KEY } from '../idempotency.js';
import {
  SendBatchInput,
  SendEmailInput,
  SentBatchType,
  SentEmailType,
  type BatchResultType,
} from './email-input.type.js';
import { EmailLoaders } from './email-loaders.js';
import { EmailType } from './email.type.js';

/** Sends emails. */
@Resolver(() => SentEmailType)
export class SendingResolver {
  constructor(
    private readonly intake: EmailIntake,
    private readonly loaders: EmailLoaders,
  ) {}

  @Mutation(() => SentEmailType, {
    description: 'Sends an email, at once or at `scheduledAt`. The result is returned after the email has been stored.',
  })
  async sendEmail(
    @CallerOf(SendingController, 'send') caller: Principal,
    @Args('input', { type: () => SendEmailInput, description: 'The email' }) input: object,
    @Context() { signal }: GraphqlContext,
    @Args('idempotencyKey', IDEMPOTENCY_KEY) idempotencyKey?: string | null,
  ): Promise<SentEmailType> {
    const idempotency = await fieldIdempotency(idempotencyKey, { caller, field: 'sendEmail', inputs: [input] });
    const submission = await orRefusal(() => ({
      ...toSubmission(restBody(SendEmailInput, input), caller),
      idempotency,
      ...(signal === undefined ? {} : { signal }),
    }));
    return this.intake.accept(submission, idempotency);
  }

  @Mutation(() => SentBatchType, {
    description:
      `Sends up to ${LIMITS.batchElements} emails. Strict: nothing is stored if one email is invalid, and ` +
      '`extensions.errors` lists the invalid ones. Permissive: an invalid email has an `error` in its result.',
  })
  async sendBatch(
    @CallerOf(SendingController, 'sendBatch') caller: Principal,
    @Args('input', { type: () => SendBatchInput, description: 'The emails' }) { emails, validation }: SendBatchInput,
    @Context() { signal }: GraphqlContext,
    @Args('idempotencyKey', IDEMPOTENCY_KEY) idempotencyKey?: string | null,
  ): Promise<SentBatchType> {
    const mode = validation ?? 'strict';
    const { elements, permissive } = await parseBatch(mode, emails, (email) => ({
      ...toSubmission(restBody(SendEmailInput, email as object), caller),
      ...(signal === undefined ? {} : { signal }),
    }));
    const inputs = [mode, ...emails];
    const idempotency = await fieldIdempotency(idempotencyKey, { caller, field: 'sendBatch', inputs });
    const accepted = await this.intake.acceptBatch(elements, { permissive, idempotency });
    return { results: accepted.elements.map(toResult), replayed: accepted.replayed };
  }

  @ResolveField(() => EmailType, { description: 'The email. Requires the scope `emails.read`.' })
  async email(
    @CallerOf(EmailsController, 'find') caller: Principal,
    @Parent() { id }: SentEmailType,
    @Context() context: GraphqlContext,
  ): Promise<EmailItemDto> {
    return orNotFound(await this.loaders.of(context, caller).summaries.load(id));
  }
}

function toResult(element: BatchElement): BatchResultType {
  if ('id' in element) return { id: element.id, error: null };
  const { error, message, field } = element.refused;
  return { id: null, error: { code: error, message, field } };
}
