import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { EmailList, EmailQueries, EmailSchedule } from '#libs/emails';
import { Caller } from '../../http/caller.js';
import { BodyPipe } from '../body-pipe.js';
import { found } from '../found.js';
import { PageQuery } from '../list.dto.js';
import { QueryPipe } from '../query-pipe.js';
import { resendEmail, resendEmailItem, type ResendEmail, type ResendEmailItem } from './resend-email.js';
import { ResendRescheduleDto } from './resend-emails.dto.js';
import { ResendIdPipe } from './resend-id-pipe.js';
import { toResendId } from './resend-id.js';
import { resendList, resendPageRequest, type ResendList } from './resend-page.js';
import { RESEND, ResendRoute } from './resend-route.js';
import { resendReleaseTime } from './resend-schedule.js';

interface Named {
  object: 'email';
  id: string;
}

const ID = new ResendIdPipe('em');
const named = (id: string): Named => ({ object: 'email', id: toResendId(id) });

@Controller(`${RESEND}/emails`)
export class ResendEmailsController {
  constructor(
    private readonly emails: EmailList,
    private readonly queries: EmailQueries,
    private readonly schedule: EmailSchedule,
  ) {}

  @Get()
  @ResendRoute('emails.read')
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: PageQuery): Promise<ResendList<ResendEmailItem>> {
    return resendList(await this.emails.page(caller.accountId, {}, resendPageRequest(query, 'em')), resendEmailItem);
  }

  @Get(':id')
  @ResendRoute('emails.read')
  async find(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<ResendEmail> {
    return resendEmail(found(await this.queries.find(caller.accountId, id)));
  }

  @Patch(':id')
  @ResendRoute('emails.send')
  async update(
    @Caller() caller: Principal,
    @Param('id', ID) id: string,
    @Body(BodyPipe) { scheduled_at }: ResendRescheduleDto,
  ): Promise<Named> {
    await this.schedule.reschedule(caller.accountId, id, resendReleaseTime(scheduled_at) ?? new Date());
    return named(id);
  }

  @Post(':id/cancel')
  @ResendRoute('emails.send')
  async cancel(@Caller() caller: Principal, @Param('id', ID) id: string): Promise<Named> {
    await this.schedule.cancel(caller.accountId, id);
    return named(id);
  }
}
