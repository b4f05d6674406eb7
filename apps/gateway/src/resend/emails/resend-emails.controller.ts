import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { EmailList, EmailQueries } from '#libs/emails';
import { RescheduleEmail } from '#libs/queue';
import { Caller } from '../../http/caller.js';
import { BodyPipe } from '../../rest/validation/body-pipe.js';
import { orNotFound } from '../../rest/or-not-found.js';
import { PageQuery } from '../../rest/list.dto.js';
import { QueryPipe } from '../../rest/validation/query-pipe.js';
import { toResendEmail, toResendEmailItem, type ResendEmail, type ResendEmailItem } from './resend-email.js';
import { ResendRescheduleDto } from './resend-emails.dto.js';
import { ResendIdPipe, type ResendReference, toResendReference } from '../resend-id.js';
import { toResendList, resendPageRequest, type ResendList } from '../resend-list.js';
import { RESEND, ResendRoute } from '../resend-route.js';
import { resendReleaseTime } from './resend-schedule.js';
import { databaseClock } from '#libs/kernel';

type Reference = ResendReference<'email'>;

const ID = new ResendIdPipe('em');
const referenceTo = (id: string): Reference => toResendReference('email', id);

@Controller(`${RESEND}/emails`)
export class ResendEmailsController {
  constructor(
    private readonly emails: EmailList,
    private readonly queries: EmailQueries,
    private readonly schedule: RescheduleEmail,
  ) {}

  @Get()
  @ResendRoute('emails.read')
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: PageQuery): Promise<ResendList<ResendEmailItem>> {
    return toResendList(await this.emails.page(caller, {}, resendPageRequest(query, 'em')), toResendEmailItem);
  }

  @Get(':id')
  @ResendRoute('emails.read')
  async find(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<ResendEmail> {
    return toResendEmail(orNotFound(await this.queries.find(caller, id)));
  }

  @Patch(':id')
  @ResendRoute('emails.send')
  async update(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Body(BodyPipe) { scheduled_at }: ResendRescheduleDto,
  ): Promise<Reference> {
    await this.schedule.reschedule(caller, id, resendReleaseTime(scheduled_at) ?? databaseClock.date());
    return referenceTo(id);
  }

  @Post(':id/cancel')
  @ResendRoute('emails.send')
  async cancel(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<Reference> {
    await this.schedule.cancel(caller, id);
    return referenceTo(id);
  }
}
