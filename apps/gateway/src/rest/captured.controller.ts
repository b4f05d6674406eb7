import { Controller, Delete, Get, Param, Query, Res } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { isId, Refusal } from '#libs/contracts';
import { CapturedMail, type CapturedPage } from '#libs/emails';
import { normaliseAddress } from '#libs/mime';
import type { FastifyReply } from 'fastify';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { QueryParameters } from './query-parameters.js';

/** The built-in inbox of capture mode (details §6). */
@Controller('captured')
export class CapturedController {
  constructor(private readonly captured: CapturedMail) {}

  @Get()
  @RequiresScope('emails.read')
  list(@Caller() caller: Principal, @Query() query: Record<string, unknown>): Promise<CapturedPage> {
    const parameters = new QueryParameters(query);
    const to = parameters.text('to');
    const filter = {
      to: to === undefined ? undefined : normaliseAddress(to),
      emailId: parameters.id('email_id', 'em'),
      limit: parameters.limit(),
      after: parameters.id('after', 'cap'),
    };
    parameters.check();
    return this.captured.list(caller.accountId, filter);
  }

  /** The mail byte for byte, as it would have gone out. */
  @Get(':id/raw')
  @RequiresScope('emails.read')
  async raw(@Caller() caller: Principal, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const bytes = isId('cap', id) ? await this.captured.raw(caller.accountId, id) : null;
    if (!bytes) throw new Refusal('not_found');
    await reply.type('message/rfc822').header('content-disposition', `attachment; filename="${id}.eml"`).send(bytes);
  }

  @Delete()
  @RequiresScope('emails.read')
  async clear(@Caller() caller: Principal): Promise<{ object: 'captured'; deleted: true; count: number }> {
    return { object: 'captured', deleted: true, count: await this.captured.clear(caller.accountId) };
  }
}
