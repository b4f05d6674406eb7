import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import type { Principal } from '#libs/accounts';
import { Erasures } from '#libs/erasure';
import { Caller } from '../../http/caller.js';
import { RequiresScope, WholeAccount } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { orNotFound } from '../or-not-found.js';
import { BodyPipe } from '../validation/body-pipe.js';
import { ErasureDto, RequestErasureDto } from './erasures.dto.js';

const TAG = 'Erasures';

/** Erasure of recipients of the caller's account. */
@Controller('erasures')
export class ErasuresController {
  constructor(private readonly erasures: Erasures) {}

  @Post()
  @RequiresScope('suppressions.write')
  @WholeAccount()
  @ApiBody({ type: RequestErasureDto, examples: { address: { value: { email: 'user@example.net' } } } })
  @Operation({
    tag: TAG,
    summary: 'Erase a recipient',
    description:
      'Runs in the background. A keyed hash takes the place of the address in messages, attempts, events, webhook deliveries, ' +
      'reports, suppressions and statistics; rows and ids remain. The contents and captured copies of messages to the address ' +
      'are deleted, and deliveries to it that have not started are canceled. A suppression goes on blocking the address. A ' +
      'request for an address whose erasure is not completed returns that erasure.',
    response: ErasureDto,
    status: 202,
    errors: [400],
  })
  request(
    @Caller() { accountId, keyId, ip }: Principal,
    @Body(BodyPipe) { email }: RequestErasureDto,
  ): Promise<ErasureDto> {
    return this.erasures.request(accountId, email, { actor: keyId, ip });
  }

  @Get(':id')
  @RequiresScope('suppressions.read')
  @WholeAccount()
  @Operation({ tag: TAG, summary: 'Get an erasure and its receipt', response: ErasureDto, errors: [404] })
  async find(@Caller() { accountId }: Principal, @Param('id') id: string): Promise<ErasureDto> {
    return orNotFound(await this.erasures.find(accountId, id));
  }
}
