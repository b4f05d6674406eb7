import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { EmailIntake } from '#libs/emails';
import { inTurns } from '#libs/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BatchBody } from '../../http/body-limits.js';
import { Caller } from '../../http/caller.js';
import { batchOf } from '../batch-of.js';
import { idempotencyOf } from '../idempotency-of.js';
import { toResendId } from './resend-id.js';
import { RESEND, ResendRoute } from './resend-route.js';
import { resendElement, resendSubmission } from './resend-submission.js';

interface BatchSent {
  data: { id: string }[];
  /** Of a permissive batch only. */
  errors?: { index: number; message: string }[];
}

@Controller(`${RESEND}/emails`)
export class ResendSendingController {
  constructor(private readonly intake: EmailIntake) {}

  @Post()
  @ResendRoute('emails.send')
  async send(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ object: 'email'; id: string }> {
    const idempotency = idempotencyOf(request, caller, 'resend.emails.send');
    const { id, replayed } = await this.intake.accept(resendSubmission(body, caller, idempotency));
    if (replayed) void reply.header('idempotent-replayed', 'true');
    return { object: 'email', id: toResendId(id) };
  }

  @Post('batch')
  @BatchBody()
  @ResendRoute('emails.send')
  async sendBatch(
    @Caller() caller: Principal,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BatchSent> {
    const { bodies, permissive } = batchOf(request, body);
    const elements = await inTurns(bodies, (element) => resendElement(element, caller));
    const idempotency = idempotencyOf(request, caller, 'resend.emails.batch');
    const accepted = await this.intake.acceptBatch(elements, { permissive, idempotency });
    if (accepted.replayed) void reply.header('idempotent-replayed', 'true');
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
