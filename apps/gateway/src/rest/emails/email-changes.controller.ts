import { Body, Controller, Param, Patch, Post, Req, Res } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { Principal } from '#libs/accounts';
import { RetryEmail, releaseTime } from '#libs/emails';
import { RescheduleEmail } from '#libs/queue';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { EXAMPLE_SCHEDULE } from '../../openapi/properties.js';
import { Operation } from '../../openapi/operation.js';
import { BodyPipe } from '../validation/body-pipe.js';
import { ChangeEmailDto, EmailCanceled, EmailRescheduled, EmailRetried } from './emails.dto.js';
import { markReplayed, requestIdempotency } from './idempotency.js';
import { databaseClock } from '#libs/kernel';

const TAG = 'Emails';

/** Reschedules, cancels and retries e-mails. */
@Controller('emails/:id')
export class EmailChangesController {
  constructor(
    private readonly schedule: RescheduleEmail,
    private readonly retries: RetryEmail,
  ) {}

  @Patch()
  @RequiresScope('emails.send')
  @ApiBody({
    type: ChangeEmailDto,
    examples: { later: { summary: 'A time in the next 72 hours', value: { scheduled_at: EXAMPLE_SCHEDULE } } },
  })
  @Operation({
    tag: TAG,
    summary: 'Reschedule an e-mail',
    description: 'Possible while it is `scheduled`; afterwards 409 with the current status.',
    response: EmailRescheduled,
    errors: [400, 404, 409, 415],
  })
  async reschedule(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body(BodyPipe) dto: ChangeEmailDto,
  ): Promise<EmailRescheduled> {
    const scheduledAt = releaseTime(dto.scheduled_at) ?? databaseClock.date();
    await this.schedule.reschedule(caller, id, scheduledAt);
    return { object: 'email', id, scheduled_at: scheduledAt.toISOString() };
  }

  @Post('cancel')
  @RequiresScope('emails.send')
  @Operation({
    tag: TAG,
    summary: 'Cancel an e-mail',
    description:
      'Possible while it is `scheduled`, and while it is `queued` and delivery has not started; afterwards 409 with the ' +
      'current status. Canceling a scheduled e-mail of this month returns its units to the allowance.',
    response: EmailCanceled,
    errors: [400, 404, 409, 415],
  })
  async cancel(@Caller() caller: Principal, @Param('id') id: string): Promise<EmailCanceled> {
    await this.schedule.cancel(caller, id);
    return { object: 'email', id, status: 'canceled' };
  }

  @Post('retry')
  @RequiresScope('emails.send')
  @Operation({
    tag: TAG,
    summary: 'Retry a failed e-mail',
    description:
      'Possible when no recipient is still being processed and at least one failed or bounced. Creates a new e-mail with ' +
      'the same content to those recipients; domain, suppressions and allowance are checked again.',
    response: EmailRetried,
    status: 201,
    errors: [400, 404, 409, 415, 422],
    idempotent: true,
  })
  async retry(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EmailRetried> {
    const accepted = await this.retries.retry(
      { ...caller, idempotency: requestIdempotency(request, caller, `emails.retry:${id}`) },
      id,
    );
    markReplayed(reply, accepted);
    return { object: 'email', id: accepted.id, retry_of: id };
  }
}
