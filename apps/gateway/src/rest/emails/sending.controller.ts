import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '#libs/accounts';
import { LIMITS, orRefusal } from '#libs/contracts';
import { EmailIntake, type BatchElement } from '#libs/emails';
import { BatchBody } from '../../http/body/body-limits.js';
import { Caller } from '../../http/caller.js';
import { ClientSignal } from '../../http/client-signal.js';
import { RequiresScope } from '../../http/route-access.js';
import { EXAMPLE_SCHEDULE } from '../../openapi/properties.js';
import { Operation } from '../../openapi/operation.js';
import { markReplayed, requestIdempotency } from './idempotency.js';
import { batchMode, parseBatch } from './parse-batch.js';
import { BatchElementRefused, EmailCreated, ListUnsubscribeDto, SendEmailDto } from './send-email.dto.js';
import { toSubmission } from './to-submission.js';

/** All fields at once, as a page would make it of the schema, are no valid request. */
const EXAMPLE = {
  from: 'Shop <orders@mail.example.com>',
  to: ['user@example.com'],
  subject: 'Your order',
  html: '<p>Thank you</p>',
  text: 'Thank you',
};

const MESSAGES = {
  message: { summary: 'An email', value: EXAMPLE },
  attachment: {
    summary: 'With an attachment and tags',
    value: {
      ...EXAMPLE,
      attachments: [{ filename: 'invoice.txt', content: 'SW52b2ljZSA0NzExCg==', content_type: 'text/plain' }],
      tags: { order: '4711' },
    },
  },
  scheduled: {
    summary: 'At a time in the next 72 hours',
    value: { ...EXAMPLE, scheduled_at: EXAMPLE_SCHEDULE },
  },
  newsletter: {
    summary: 'With one-click unsubscription, to those who are not suppressed',
    value: {
      ...EXAMPLE,
      to: ['user@example.com', 'ada@example.com'],
      list_unsubscribe: true,
      suppression_policy: 'skip',
    },
  },
};

@Controller('emails')
@ApiExtraModels(SendEmailDto, ListUnsubscribeDto, BatchElementRefused)
export class SendingController {
  constructor(private readonly intake: EmailIntake) {}

  @Post()
  @RequiresScope('emails.send')
  @ApiBody({ type: SendEmailDto, examples: MESSAGES })
  @Operation({
    tag: 'Emails',
    summary: 'Send an email',
    description: 'The response is sent after the email has been stored. It is delivered at once, or at `scheduled_at`.',
    response: EmailCreated,
    status: 201,
    errors: [400, 409, 415, 422],
    idempotent: true,
  })
  async send(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ClientSignal() signal: AbortSignal,
  ): Promise<EmailCreated> {
    const idempotency = requestIdempotency(request, caller, 'emails.send');
    const submission = await orRefusal(() => ({ ...toSubmission(body, caller), idempotency, signal }));
    const accepted = await this.intake.accept(submission, idempotency);
    markReplayed(reply, accepted);
    return { id: accepted.id, object: 'email' };
  }

  @Post('batch')
  @BatchBody()
  @RequiresScope('emails.send')
  @ApiHeader({
    name: 'x-batch-validation',
    required: false,
    description: '`strict`: one invalid email refuses the batch. `permissive`: the valid emails are sent',
    schema: { type: 'string', enum: ['strict', 'permissive'], default: 'strict' },
  })
  @ApiBody({
    schema: {
      type: 'array',
      items: { $ref: getSchemaPath(SendEmailDto) },
      minItems: 1,
      maxItems: LIMITS.batchElements,
    },
    examples: { messages: { value: [EXAMPLE, { ...EXAMPLE, to: ['ada@example.com'] }] } },
  })
  @ApiResponse({
    status: 201,
    schema: {
      type: 'array',
      items: { oneOf: [{ $ref: getSchemaPath(EmailCreated) }, { $ref: getSchemaPath(BatchElementRefused) }] },
    },
  })
  @Operation({
    tag: 'Emails',
    summary: 'Send up to 100 emails',
    description:
      'The response has one element per email, in the order of the request. Strict: nothing is stored if one email is ' +
      'invalid, and the error response lists the invalid ones under `errors`. Permissive: an invalid email has an ' +
      'element with `object: "error"`.',
    status: 201,
    errors: [400, 409, 415, 422],
    idempotent: true,
  })
  async sendBatch(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ClientSignal() signal: AbortSignal,
  ): Promise<(EmailCreated | BatchElementRefused)[]> {
    const { elements, permissive } = await parseBatch(batchMode(request), body, (element) => ({
      ...toSubmission(element, caller),
      signal,
    }));
    const idempotency = requestIdempotency(request, caller, 'emails.batch');
    const accepted = await this.intake.acceptBatch(elements, { permissive, idempotency });
    markReplayed(reply, accepted);
    return accepted.elements.map(toElementResponse);
  }
}

function toElementResponse(element: BatchElement, index: number): EmailCreated | BatchElementRefused {
  if ('id' in element) return { id: element.id, object: 'email' };
  const { error, message } = element.refused;
  return { object: 'error', index, error, message };
}
