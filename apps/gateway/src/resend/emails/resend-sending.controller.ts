import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '#libs/accounts';
import { orRefusal } from '#libs/contracts';
import { EmailIntake } from '#libs/emails';
import { ResendBatchBody, ResendBody } from '../../http/body/body-limits.js';
import { Caller } from '../../http/caller.js';
import { ClientSignal } from '../../http/client-signal.js';
import { batchMode, parseBatch } from '../../rest/emails/parse-batch.js';
import { markReplayed, requestIdempotency } from '../../rest/emails/idempotency.js';
import { toResendId, toResendReference, type ResendReference } from '../resend-id.js';
import { RESEND, ResendRoute } from '../resend-route.js';
import { toResendSubmission } from './resend-submission.js';

interface BatchSent {
  data: { id: string }[];
  /** Only in the response to a permissive batch. */
  errors?: { index: number; message: string }[];
}

@Controller(`${RESEND}/emails`)
export class ResendSendingController {
  constructor(private readonly intake: EmailIntake) {}

  @Post()
  @ResendBody()
  @ResendRoute('emails.send')
  async send(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ClientSignal() signal: () => AbortSignal,
  ): Promise<ResendReference<'email'>> {
    const idempotency = requestIdempotency(request, caller, 'resend.emails.send');
    const submission = await orRefusal(() => ({ ...toResendSubmission(body, caller), idempotency, signal }));
    const accepted = await this.intake.accept(submission, idempotency);
    markReplayed(reply, accepted);
    return toResendReference('email', accepted.id);
  }

  @Post('batch')
  @ResendBatchBody()
  @ResendRoute('emails.send')
  async sendBatch(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @ClientSignal() signal: () => AbortSignal,
  ): Promise<BatchSent> {
    const { elements, permissive } = await parseBatch(batchMode(request), body, (element) => ({
      ...toResendSubmission(element, caller),
      signal,
    }));
    const idempotency = requestIdempotency(request, caller, 'resend.emails.batch');
    const accepted = await this.intake.acceptBatch(elements, { permissive, idempotency });
    markReplayed(reply, accepted);
    return {
      data: accepted.elements.flatMap((element) => ('id' in element ? [{ id: toResendId(element.id) }] : [])),
      ...(permissive
        ? {
            errors: accepted.elements.flatMap((element, index) =>
              'id' in element ? [] : [{ index, message: element.refused.message }],
            ),
          }
        : {}),
    };
  }
}
