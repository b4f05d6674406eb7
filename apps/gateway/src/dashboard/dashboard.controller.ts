import { Controller, Get, Header, HttpCode, Param, Post, Redirect, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { EmailPreview, LinkCheck, RemoteImages } from '#libs/emails';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller } from '../http/caller.js';
import { ClientSignal } from '../http/client-signal.js';
import { Public, RequiresScope } from '../http/route-access.js';
import { pathOfRoute } from '../http/route-table.js';
import { sendAsset } from '../http/static-asset.js';
import { orNotFound } from '../rest/or-not-found.js';
import { dashboardFiles } from './dashboard-files.js';

/**
 * Scripts, styles, images and requests of this host only. Style attributes are allowed, because components position
 * themselves by them. The bodies of messages are separate documents with a policy of their own.
 */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** `sandbox` without `allow-scripts` and `allow-same-origin`, also if the document is opened on its own. */
const MESSAGE_POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; " +
  "frame-ancestors 'self'";

/** The web application, built by set-up from apps/dashboard. */
@Controller()
export class DashboardController {
  constructor(
    private readonly previews: EmailPreview,
    private readonly links: LinkCheck,
    private readonly images: RemoteImages,
  ) {}

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

  /** The HTML of a message as a document of its own: no script, no form, nothing of another host. */
  @Get('app/message/:id')
  @RequiresScope('emails.read')
  @ApiExcludeEndpoint()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', MESSAGE_POLICY)
  @Header('x-frame-options', 'SAMEORIGIN')
  @Header('x-dns-prefetch-control', 'off')
  async message(@Caller() caller: Principal, @Param('id') id: string): Promise<string> {
    return orNotFound(await this.previews.html(caller, id));
  }

  /** The same document with the images of other hosts, which this host requests: only when a reader asks for them. */
  @Post('app/message/:id/images')
  @RequiresScope('emails.read')
  @HttpCode(200)
  @ApiExcludeEndpoint()
  async withImages(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @ClientSignal() signal: () => AbortSignal,
  ): Promise<Awaited<ReturnType<RemoteImages['html']>>> {
    return orNotFound(await this.images.html(caller, id, signal()));
  }

  /** A download, so that no browser takes it for a document of this host. */
  @Get('app/message/:id/source')
  @RequiresScope('emails.read')
  @ApiExcludeEndpoint()
  async source(@Caller() caller: Principal, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const bytes = orNotFound(await this.previews.source(caller, id));
    await reply.type('message/rfc822').header('content-disposition', `attachment; filename="${id}.eml"`).send(bytes);
  }

  /** For those who could have sent the message: each link is requested from this host. */
  @Post('app/message/:id/link-check')
  @RequiresScope('emails.send')
  @HttpCode(200)
  @ApiExcludeEndpoint()
  async checkLinks(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @ClientSignal() signal: () => AbortSignal,
  ): Promise<{ object: 'list'; data: Awaited<ReturnType<LinkCheck['check']>> }> {
    return { object: 'list', data: orNotFound(await this.links.check(caller, id, signal())) };
  }

  @Get('app/*')
  @Public()
  @ApiExcludeEndpoint()
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const path = pathOfRoute(request).slice('/app/'.length);
    const { page, assets } = await dashboardFiles();
    if (path.startsWith('assets/')) {
      const asset = assets.get(path);
      if (!asset) throw new Refusal('not_found');
      return sendAsset(reply, asset);
    }
    // Every other path is a page of the application, which has a router of its own.
    void reply.header('content-security-policy', PAGE_POLICY);
    return sendAsset(reply, page, { cacheControl: 'no-cache' });
  }
}
