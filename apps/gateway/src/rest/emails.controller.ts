import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { EmailIntake, EmailQueries, type EmailView } from '#libs/emails';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { BodyPipe } from './body-pipe.js';
import { SendEmailDto, type EmailCreated } from './emails.dto.js';
import { idempotencyOf } from './idempotency-of.js';
import { submissionFrom } from './submission-from.js';

@Controller('emails')
export class EmailsController {
  constructor(
    private readonly intake: EmailIntake,
    private readonly emails: EmailQueries,
  ) {}

  @Post()
  @RequiresScope('emails.send')
  async send(
    @Caller() caller: Principal,
    @Body(BodyPipe) dto: SendEmailDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EmailCreated> {
    const idempotency = idempotencyOf(request, caller, 'emails.send');
    const { id, replayed } = await this.intake.accept(submissionFrom(dto, caller, idempotency));
    if (replayed) void reply.header('idempotent-replayed', 'true');
    return { id, object: 'email' };
  }

  @Get(':id')
  @RequiresScope('emails.read')
  async find(@Caller() caller: Principal, @Param('id') id: string): Promise<EmailView> {
    const email = await this.emails.find(caller.accountId, id);
    if (!email) throw new Refusal('not_found');
    return email;
  }
}
