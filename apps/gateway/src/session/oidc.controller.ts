import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Refusal } from '#libs/contracts';
import { Config } from '#libs/kernel';
import { OidcLogins } from '#libs/users';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../http/route-access.js';
import { LinkMail } from '#libs/notices';
import { SessionAccess } from './session-access.js';
import { SessionReplies } from './session-replies.js';

const COOKIE = 'oidc';

/** Login by the OpenID provider of the settings. Links, so both routes redirect. See docs/dashboard-login.md. */
@Controller('app/api/oidc')
@ApiExcludeController()
export class OidcController {
  private readonly publicUrl: URL;

  constructor(
    private readonly oidc: OidcLogins,
    private readonly access: SessionAccess,
    private readonly replies: SessionReplies,
    private readonly mail: LinkMail,
    config: Config,
  ) {
    this.publicUrl = new URL(config.settings.PUBLIC_URL);
  }

  @Get('login')
  @Public()
  async logIn(
    @Query('invitation') invitation: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.requireEnabled();
    this.access.browser.assertMayLogIn(request.raw);
    // The provider redirects to PUBLIC_URL: a cookie of another host would not come with that request.
    if (request.headers.host !== this.publicUrl.host)
      return void (await reply.redirect(`${this.publicUrl.origin}${request.originalUrl}`, 302));
    const login = await this.oidc.begin(typeof invitation === 'string' ? invitation : undefined);
    if (login === null) return void (await reply.redirect('/app/login?error=oidc_failed', 302));
    void reply.header('set-cookie', this.pendingCookie(request, login.pending, this.oidc.seconds));
    await reply.redirect(login.url, 302);
  }

  @Get('callback')
  @Public()
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.requireEnabled();
    const pending = this.access.browser.valueOf(request.raw, COOKIE) ?? '';
    const query = request.originalUrl.split('?')[1] ?? '';
    const result = await this.oidc.complete(query, pending, this.replies.clientOf(request));
    if ('token' in result) {
      await this.replies.open(request, reply, result.token);
      if (result.letter !== null) this.mail.sendLater(result.letter);
    }
    void reply.header('set-cookie', this.pendingCookie(request, '', 0));
    await reply.redirect('token' in result ? '/app/' : `/app/login?error=oidc_${result.failure}`, 302);
  }

  private pendingCookie(request: FastifyRequest, value: string, seconds: number): string {
    return this.access.browser.cookie(request.raw, COOKIE, { value, seconds });
  }

  private requireEnabled(): void {
    if (!this.oidc.isEnabled) throw new Refusal('not_found');
  }
}
