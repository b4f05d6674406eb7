import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { EmailUnsubscribe } from '#libs/emails';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnyBody } from '../http/body-limits.js';
import { Public } from '../http/route-access.js';
import { AddressLimit } from './address-limit.js';
import { askPage, donePage, PAGE_HEADERS, unknownPage } from './unsubscribe-page.js';

/**
 * The link that recipients unsubscribe at (RFC 8058). A POST acts at once, whatever its body: mail programs send it
 * without asking again, and follow no redirect. A GET only shows a page, because scanners open every link of a mail.
 * For mail programs and people, not for API clients: no key, and no place in openapi.json.
 */
@Controller('unsubscribe')
export class UnsubscribeController {
  constructor(
    private readonly unsubscribes: EmailUnsubscribe,
    private readonly addressLimit: AddressLimit,
  ) {}

  @Get(':token')
  @Public()
  @ApiExcludeEndpoint()
  async ask(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.addressLimit.take(request.ip);
    const found = await this.unsubscribes.find(token);
    await send(reply, found && askPage(found));
  }

  @Post(':token')
  @Public()
  @AnyBody()
  @HttpCode(200)
  @ApiExcludeEndpoint()
  async act(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.addressLimit.take(request.ip);
    const done = await this.unsubscribes.unsubscribe(token);
    await send(reply, done && donePage(done));
  }
}

async function send(reply: FastifyReply, page: string | null): Promise<void> {
  await reply
    .status(page === null ? 404 : 200)
    .headers(PAGE_HEADERS)
    .send(page ?? unknownPage());
}
