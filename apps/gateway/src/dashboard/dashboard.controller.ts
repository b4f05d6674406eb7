import { Controller, Get, Redirect, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { Refusal } from '#libs/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../http/route-access.js';
import { sendAsset } from '../http/static-asset.js';
import { dashboardFiles } from './dashboard-files.js';

/**
 * Scripts, styles, images and requests of this host only. Style attributes are allowed, because components position
 * themselves by them. The bodies of messages are separate documents with a policy of their own.
 */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** The web application, built by set-up from apps/dashboard. */
@Controller()
export class DashboardController {
  @Get()
  @Public()
  @ApiExcludeEndpoint()
  @Redirect('/app/', 302)
  root(): void {
    // The decorator answers.
  }

  @Get('app')
  @Public()
  @ApiExcludeEndpoint()
  @Redirect('/app/', 302)
  withoutSlash(): void {
    // The decorator answers.
  }

  @Get('app/*path')
  @Public()
  @ApiExcludeEndpoint()
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const path = request.url.split('?', 1)[0].slice('/app/'.length);
    const { page, assets } = await dashboardFiles();
    if (path.startsWith('assets/')) {
      const asset = assets.get(path);
      if (!asset) throw new Refusal('not_found');
      return sendAsset(reply, asset);
    }
    // Every other path is a page of the application, which has a router of its own.
    void reply.header('content-security-policy', PAGE_POLICY);
    return sendAsset(reply, page, 'no-cache');
  }
}
