import { Controller, Get, Param } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { EmailQueries, type EmailView } from '#libs/emails';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';

@Controller('emails')
export class EmailsController {
  constructor(private readonly emails: EmailQueries) {}

  @Get(':id')
  @RequiresScope('emails.read')
  async find(@Caller() caller: Principal, @Param('id') id: string): Promise<EmailView> {
    const email = await this.emails.find(caller.accountId, id);
    if (!email) throw new Refusal('not_found');
    return email;
  }
}
