import { Body, Controller, Delete, Get, HttpCode, Ip, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Refusal } from '#libs/contracts';
import { Logins, Sessions, Users, type LoggedIn } from '#libs/users';
import type { FastifyRequest } from 'fastify';
import { RequiresSession } from '../http/route-access.js';
import { IdPipe } from '../rest/or-not-found.js';
import { BodyPipe } from '../rest/validation/body-pipe.js';
import { LinkMail } from '#libs/notices';
import { Viewer } from './person.js';
import { SessionReplies, type SessionState } from './session-replies.js';
import { ChangeEmailDto, ChangePasswordDto, ProfileDto, type SessionDto } from './session.dto.js';

/** What people change about themselves. See docs/dashboard-login.md. */
@Controller('app/api')
@ApiExcludeController()
export class OwnUserController {
  constructor(
    private readonly users: Users,
    private readonly sessions: Sessions,
    private readonly logins: Logins,
    private readonly replies: SessionReplies,
    private readonly mail: LinkMail,
  ) {}

  @Patch('profile')
  @RequiresSession()
  async rename(
    @Viewer() viewer: LoggedIn,
    @Body(BodyPipe) { name }: ProfileDto,
    @Req() request: FastifyRequest,
  ): Promise<SessionState> {
    await this.users.rename(viewer.userId, name, request.ip);
    await this.sessions.refresh(viewer.userId);
    return this.replies.state(request, await this.replies.current(request));
  }

  @Post('password')
  @RequiresSession()
  @HttpCode(204)
  async changePassword(
    @Viewer() viewer: LoggedIn,
    @Body(BodyPipe) { current_password: current, password: next }: ChangePasswordDto,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    this.mail.sendLater(await this.logins.changePassword(viewer, { current, next }, this.replies.clientOf(request)));
  }

  @Post('email')
  @RequiresSession()
  @HttpCode(202)
  async changeEmail(
    @Viewer() viewer: LoggedIn,
    @Body(BodyPipe) { current_password: current, email }: ChangeEmailDto,
    @Req() request: FastifyRequest,
  ): Promise<{ object: 'request'; accepted: true }> {
    const letter = await this.logins.requestEmailChange(viewer, { email, current }, this.replies.clientOf(request));
    if (letter !== null) await this.mail.sendRequested(letter);
    return { object: 'request', accepted: true };
  }

  @Get('sessions')
  @RequiresSession()
  async listSessions(@Viewer() viewer: LoggedIn): Promise<{ object: 'list'; data: SessionDto[] }> {
    return { object: 'list', data: await this.sessions.list(viewer.userId, viewer.sessionId) };
  }

  @Delete('sessions/:id')
  @RequiresSession()
  @HttpCode(204)
  async endSession(
    @Viewer() viewer: LoggedIn,
    @Param('id', new IdPipe({ id: 'ses' })) id: string,
    @Ip() ip: string,
  ): Promise<void> {
    if (!(await this.sessions.end(viewer.userId, id, ip))) throw new Refusal('not_found');
  }

  @Delete('sessions')
  @RequiresSession()
  async endOtherSessions(@Viewer() viewer: LoggedIn, @Ip() ip: string): Promise<{ object: 'list'; ended: number }> {
    return { object: 'list', ended: await this.sessions.endOthers(viewer.userId, viewer.sessionId, ip) };
  }
}
