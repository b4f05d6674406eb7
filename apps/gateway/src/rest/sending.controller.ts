import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { Principal } from '#libs/accounts';
import { EmailIntake, type BatchElement } from '#libs/emails';
import { inTurns } from '#libs/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BatchBody } from '../http/body-limits.js';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { batchOf } from './batch-of.js';
import { idempotencyOf } from './idempotency-of.js';
import { BatchElementRefused, EmailCreated, ListUnsubscribeDto, SendEmailDto } from './send-email.dto.js';
import { elementFrom, submissionFrom } from './submission-from.js';

@Controller('emails')
@ApiExtraModels(ListUnsubscribeDto, BatchElementRefused)
export class SendingController {
  constructor(private readonly intake: EmailIntake) {}

  @Post()
  @RequiresScope('emails.send')
  @ApiBody({ type: SendEmailDto })
  @Operation({
    tag: 'Emails',
    summary: 'Send an e-mail',
    description: 'The answer comes after the mail is on disk. It is sent at once, or at `scheduled_at`.',
    answer: EmailCreated,
    status: 201,
    refuses: [400, 409, 415, 422],
    idempotent: true,
  })
  async send(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EmailCreated> {
    const submission = submissionFrom(body, caller, null);
    submission.idempotency = idempotencyOf(request, caller, 'emails.send');
    const { id, replayed } = await this.intake.accept(submission);
    if (replayed) void reply.header('idempotent-replayed', 'true');
    return { id, object: 'email' };
  }

  @Post('batch')
  @BatchBody()
  @RequiresScope('emails.send')
  @ApiHeader({
    name: 'x-batch-validation',
    required: false,
    description: '`strict`: one bad e-mail refuses all. `permissive`: the good ones are sent',
    schema: { type: 'string', enum: ['strict', 'permissive'], default: 'strict' },
  })
  @ApiBody({ type: [SendEmailDto] })
  @ApiResponse({
    status: 201,
    schema: {
      type: 'array',
      items: { oneOf: [{ $ref: getSchemaPath(EmailCreated) }, { $ref: getSchemaPath(BatchElementRefused) }] },
    },
  })
  @Operation({
    tag: 'Emails',
    summary: 'Send up to 100 e-mails',
    description:
      'The answer has one element per e-mail, in the order of submission. Strict: nothing is stored when one is bad; ' +
      'the error answer lists the bad ones under `errors`. Permissive: a bad one has an element with `object: "error"`.',
    status: 201,
    refuses: [400, 409, 415, 422],
    idempotent: true,
  })
  async sendBatch(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<(EmailCreated | BatchElementRefused)[]> {
    const { bodies, permissive } = batchOf(request, body);
    const elements = await inTurns(bodies, (element) => elementFrom(element, caller));
    const accepted = await this.intake.acceptBatch(elements, {
      permissive,
      idempotency: idempotencyOf(request, caller, 'emails.batch'),
    });
    if (accepted.replayed) void reply.header('idempotent-replayed', 'true');
    return accepted.elements.map(presentElement);
  }
}

function presentElement(element: BatchElement, index: number): EmailCreated | BatchElementRefused {
  if ('id' in element) return { id: element.id, object: 'email' };
  const { error, message } = element.refused;
  return { object: 'error', index, error, message };
}
