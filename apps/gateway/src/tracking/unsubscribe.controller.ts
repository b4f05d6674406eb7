import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { UnsubscribeRecipient } from '#libs/emails';
import { readTokenText } from '#libs/tracking';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnyBody } from '../http/body/body-limits.js';
import { Public, TokenInPath } from '../http/route-access.js';
import { AddressLimit } from './address-limit.js';
import { confirmationPage, donePage, PAGE_HEADERS, unknownPage } from './unsubscribe-page.js';

/**
 * The unsubscribe link of messages (RFC 8058). A POST with any body unsubscribes at once: mail clients send it without a
 * confirmation and follow no redirect. A GET only shows a confirmation page, because scanners open every link of a message.
 * The route is for mail clients and browsers, so it needs no key and is not in `openapi.json`.
 */
@Controller('unsubscribe')
export class UnsubscribeController {
  constructor(
    private readonly unsubscribes: UnsubscribeRecipient,
    private readonly addressLimit: AddressLimit,
  ) {}

  @Get(':token')
  @Public()
  @TokenInPath()
  @ApiExcludeEndpoint()
  async ask(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.addressLimit.take(request.ip);
    const unsubscription = await this.unsubscribes.find(readTokenText(token));
    await send(reply, unsubscription && confirmationPage(unsubscription));
  }

  @Post(':token')
  @Public()
  @TokenInPath()
  @AnyBody()
  @HttpCode(200)
  @ApiExcludeEndpoint()
  async act(@Param('token') token: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.addressLimit.take(request.ip);
    const done = await this.unsubscribes.unsubscribe(readTokenText(token));
    await send(reply, done && donePage(done));
  }
}

async function send(reply: FastifyReply, page: string | null): Promise<void> {
  await reply
    .status(page === null ? 404 : 200)
    .headers(PAGE_HEADERS)
    .send(page ?? unknownPage());
}
