import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Refusal } from '#libs/contracts';
import { Invitations, Logins, type Letter } from '#libs/users';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../http/route-access.js';
import { BodyPipe } from '../rest/validation/body-pipe.js';
import { LinkMail } from '#libs/notices';
import { SessionAccess } from './session-access.js';
import { SessionReplies, type SessionState } from './session-replies.js';
import {
  AcceptInvitationDto,
  AddressDto,
  LoginDto,
  ResetDto,
  SignUpDto,
  TokenDto,
  type OpenInvitationDto,
} from './session.dto.js';

/** The same whether or not a message is sent. */
interface RequestTaken {
  object: 'request';
  accepted: true;
}

/** The ways into the dashboard, for people who are not logged in. See docs/dashboard-login.md. */
@Controller('app/api')
@ApiExcludeController()
export class LoginController {
  constructor(
    private readonly logins: Logins,
    private readonly invitations: Invitations,
    private readonly access: SessionAccess,
    private readonly replies: SessionReplies,
    private readonly mail: LinkMail,
  ) {}

  @Get('session')
  @Public()
  async session(@Req() request: FastifyRequest): Promise<SessionState> {
    return this.replies.state(request, await this.replies.current(request));
  }

  @Post('login')
  @Public()
  @HttpCode(200)
  logIn(
    @Body(BodyPipe) { email, password }: LoginDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionState> {
    return this.begin(request, reply, () => this.logins.withPassword(email, password, this.replies.clientOf(request)));
  }

  /** Uses a login link from the page that a request without a navigation got. */
  @Post('login/link')
  @Public()
  @HttpCode(200)
  useLink(
    @Body(BodyPipe) { token }: TokenDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionState> {
    return this.begin(request, reply, () => this.logins.requireLink(token, this.replies.clientOf(request)));
  }

  @Post('logout')
  @Public()
  @HttpCode(204)
  logOut(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    return this.replies.end(request, reply);
  }

  @Post('password-reset')
  @Public()
  @HttpCode(202)
  requestReset(@Body(BodyPipe) { email }: AddressDto, @Req() request: FastifyRequest): Promise<RequestTaken> {
    return this.later(request, () => this.logins.requestReset(email));
  }

  @Post('password-reset/confirm')
  @Public()
  @HttpCode(200)
  reset(
    @Body(BodyPipe) { token, password }: ResetDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionState> {
    return this.begin(request, reply, async () => {
      const { session, letter } = await this.logins.reset(token, password, this.replies.clientOf(request));
      this.mail.sendLater(letter);
      return session;
    });
  }

  @Post('sign-up')
  @Public()
  @HttpCode(202)
  requestSignUp(@Body(BodyPipe) { email }: AddressDto, @Req() request: FastifyRequest): Promise<RequestTaken> {
    if (!this.logins.isSignUpOpen) throw new Refusal('not_found');
    return this.later(request, () => this.logins.requestSignUp(email));
  }

  @Post('sign-up/confirm')
  @Public()
  @HttpCode(200)
  signUp(
    @Body(BodyPipe) { account_name: accountName, ...dto }: SignUpDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionState> {
    return this.begin(request, reply, () =>
      this.logins.signUp({ ...dto, accountName }, this.replies.clientOf(request)),
    );
  }

  @Post('invitations/lookup')
  @Public()
  @HttpCode(200)
  lookUpInvitation(@Body(BodyPipe) { token }: TokenDto, @Req() request: FastifyRequest): Promise<OpenInvitationDto> {
    return this.invitations.lookUp(token, this.replies.clientOf(request));
  }

  @Post('invitations/accept')
  @Public()
  @HttpCode(200)
  acceptInvitation(
    @Body(BodyPipe) dto: AcceptInvitationDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionState> {
    return this.begin(request, reply, async () =>
      this.invitations.accept(dto, await this.replies.current(request), this.replies.clientOf(request)),
    );
  }

  @Post('email/confirm')
  @Public()
  @HttpCode(204)
  async confirmEmail(@Body(BodyPipe) { token }: TokenDto, @Req() request: FastifyRequest): Promise<void> {
    this.mail.sendLater(await this.logins.changeEmail(token, this.replies.clientOf(request)));
  }

  private async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    logIn: () => Promise<string>,
  ): Promise<SessionState> {
    this.access.browser.assertMayLogIn(request.raw);
    return this.replies.begin(request, reply, await logIn());
  }

  /** Answers before the address is looked up, so that neither the answer nor its time tells whether there is a user. */
  private async later(request: FastifyRequest, compose: () => Promise<Letter | null>): Promise<RequestTaken> {
    this.logins.limits.takeRequest(request.ip);
    await this.mail.assertReady();
    void this.mail.sendComposed(compose);
    return { object: 'request', accepted: true };
  }
}
