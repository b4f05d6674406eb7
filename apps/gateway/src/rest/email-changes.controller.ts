import { Body, Controller, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { EmailRetry, EmailSchedule, releaseTime } from '#libs/emails';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { BodyPipe } from './body-pipe.js';
import { ChangeEmailDto, EmailCanceled, EmailRescheduled, EmailRetried } from './emails.dto.js';
import { idempotencyOf } from './idempotency-of.js';

const TAG = 'Emails';

/** Mail that waits, and mail that came to nothing (D-28, D-31). */
@Controller('emails/:id')
export class EmailChangesController {
  constructor(
    private readonly schedule: EmailSchedule,
    private readonly retries: EmailRetry,
  ) {}

  @Patch()
  @RequiresScope('emails.send')
  @Operation({
    tag: TAG,
    summary: 'Reschedule an e-mail',
    description: 'Possible while it is `scheduled`; after that 409, with the present status.',
    answer: EmailRescheduled,
    refuses: [400, 404, 409, 415],
  })
  async reschedule(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body(BodyPipe) dto: ChangeEmailDto,
  ): Promise<EmailRescheduled> {
    const scheduledAt = releaseTime(dto.scheduled_at) ?? new Date();
    await this.schedule.reschedule(caller.accountId, id, scheduledAt);
    return { object: 'email', id, scheduled_at: scheduledAt.toISOString() };
  }

  @Post('cancel')
  @RequiresScope('emails.send')
  @Operation({
    tag: TAG,
    summary: 'Cancel an e-mail',
    description:
      'Possible while it is `scheduled`, and while it is `queued` and nobody has begun to send it; after that 409, with ' +
      'the present status. A scheduled e-mail of this month gives its units of the allowance back.',
    answer: EmailCanceled,
    refuses: [400, 404, 409, 415],
  })
  async cancel(@Caller() caller: Principal, @Param('id') id: string): Promise<EmailCanceled> {
    await this.schedule.cancel(caller.accountId, id);
    return { object: 'email', id, status: 'canceled' };
  }

  @Post('retry')
  @RequiresScope('emails.send')
  @Operation({
    tag: TAG,
    summary: 'Send a failed e-mail again',
    description:
      'Possible when nothing of it is under way and a recipient failed or bounced. It becomes a new e-mail with the same ' +
      'content to those recipients; domain, suppressions and allowance are judged again.',
    answer: EmailRetried,
    status: 201,
    refuses: [400, 404, 409, 415, 422],
    idempotent: true,
  })
  async retry(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EmailRetried> {
    const accepted = await this.retries.retry(caller.accountId, id, {
      keyId: caller.keyId,
      mode: caller.mode,
      allowedDomains: caller.domainIds,
      idempotency: idempotencyOf(request, caller, `emails.retry:${id}`),
    });
    if (accepted.replayed) void reply.header('idempotent-replayed', 'true');
    return { object: 'email', id: accepted.id, retry_of: id };
  }
}
