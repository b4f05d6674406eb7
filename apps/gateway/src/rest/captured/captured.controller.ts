import { Controller, Delete, Get, Param, Query, Res } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { isId, LIMITS, Refusal } from '#libs/contracts';
import { CapturedMessages } from '#libs/emails';
import { normaliseAddress } from '#libs/mime';
import type { FastifyReply } from 'fastify';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { CapturedCleared, CapturedList, CapturedQuery } from './captured.dto.js';
import { QueryPipe } from '../validation/query-pipe.js';

/** The built-in inbox of capture mode and of test keys. */
@Controller('captured')
export class CapturedController {
  constructor(private readonly captured: CapturedMessages) {}

  @Get()
  @RequiresScope('emails.read')
  @Operation({
    tag: 'Captured mail',
    summary: 'List captured messages',
    description:
      'The built-in inbox of capture mode and of test keys, newest first. Keeps the newest 10,000 messages of an account, by default for 7 days.',
    response: CapturedList,
    errors: [400],
  })
  list(@Caller() caller: Principal, @Query(QueryPipe) query: CapturedQuery): Promise<CapturedList> {
    return this.captured.list(caller, {
      to: query.to === undefined ? undefined : normaliseAddress(query.to),
      emailId: query.email_id,
      limit: Number(query.limit ?? LIMITS.listDefault),
      after: query.after,
    });
  }

  @Get(':id/raw')
  @RequiresScope('emails.read')
  @Operation({
    tag: 'Captured mail',
    summary: 'Get a captured message, byte for byte as it would have been sent',
    content: 'message/rfc822',
    errors: [404],
  })
  async raw(@Caller() caller: Principal, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const bytes = isId('cap', id) ? await this.captured.raw(caller, id) : null;
    if (!bytes) throw new Refusal('not_found');
    await reply.type('message/rfc822').header('content-disposition', `attachment; filename="${id}.eml"`).send(bytes);
  }

  @Delete()
  @RequiresScope('emails.send')
  @Operation({
    tag: 'Captured mail',
    summary: 'Delete all captured messages',
    description: 'Deletes those that the key can see, permanently.',
    response: CapturedCleared,
  })
  async clear(@Caller() caller: Principal): Promise<CapturedCleared> {
    return { object: 'captured', deleted: true, count: await this.captured.clear(caller) };
  }
}
