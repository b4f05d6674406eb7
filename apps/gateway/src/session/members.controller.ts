import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { permissions } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { Invitations, Members, type Actor } from '#libs/users';
import { RequiresAbility } from '../http/route-access.js';
import { IdPipe } from '../rest/or-not-found.js';
import { BodyPipe } from '../rest/validation/body-pipe.js';
import { LinkMail } from '#libs/notices';
import { MemberMail } from './member-mail.js';
import { ByMember } from './person.js';
import { sendInvitation } from './send-invitation.js';
import { InviteDto, RoleDto, type InvitationDto, type MemberDto, type RemovedMemberDto } from './session.dto.js';

interface List<T> {
  object: 'list';
  data: T[];
}

/** The members of an account and the invitations to it. See docs/dashboard-login.md. */
@Controller('app/api')
@ApiExcludeController()
export class MembersController {
  constructor(
    private readonly members: Members,
    readonly invitations: Invitations,
    readonly mail: LinkMail,
    private readonly reach: MemberMail,
  ) {}

  @Get('members')
  @RequiresAbility('members.read')
  async list(@ByMember() by: Actor): Promise<List<MemberDto>> {
    return { object: 'list', data: await this.reach.withProblems(await this.members.list(by.accountId)) };
  }

  @Patch('members/:id')
  @RequiresAbility('members.write')
  changeRole(
    @ByMember() by: Actor,
    @Param('id', new IdPipe({ id: 'usr' })) id: string,
    @Body(BodyPipe) { role }: RoleDto,
  ): Promise<MemberDto> {
    return this.members.changeRole(by, id, role);
  }

  /** Everybody may leave. */
  @Delete('members/:id')
  @RequiresAbility('members.read')
  async remove(@ByMember() by: Actor, @Param('id', new IdPipe({ id: 'usr' })) id: string): Promise<RemovedMemberDto> {
    if (id !== by.session.userId) permissions.requireAbility(by, 'members.write');
    const { removed, letter } = await this.members.remove(by, id);
    this.mail.sendLater(letter);
    return removed;
  }

  /** The next message is sent to the address again, although an earlier one found no mailbox there. */
  @Post('members/:id/allow-mail')
  @RequiresAbility('members.write')
  @HttpCode(204)
  async allowMail(@ByMember() by: Actor, @Param('id', new IdPipe({ id: 'usr' })) id: string): Promise<void> {
    const found = (await this.members.list(by.accountId)).find((one) => one.id === id);
    if (!found) throw new Refusal('not_found');
    await this.reach.allow(by, found.email);
  }

  @Get('invitations')
  @RequiresAbility('members.read')
  async listInvitations(@ByMember() by: Actor): Promise<List<InvitationDto>> {
    return { object: 'list', data: await this.reach.withProblems(await this.invitations.list(by.accountId)) };
  }

  @Post('invitations')
  @RequiresAbility('members.write')
  @HttpCode(201)
  invite(@ByMember() by: Actor, @Body(BodyPipe) dto: InviteDto): Promise<InvitationDto> {
    return sendInvitation(this, by, dto);
  }

  /** With a new link. The address is asked again, although an earlier message found no mailbox there. */
  @Post('invitations/:id/resend')
  @RequiresAbility('members.write')
  async resendInvitation(
    @ByMember() by: Actor,
    @Param('id', new IdPipe({ id: 'inv' })) id: string,
  ): Promise<InvitationDto> {
    const { email, role } = await this.invitations.find(by.accountId, id);
    await this.reach.allow(by, email);
    return sendInvitation(this, by, { email, role });
  }

  @Delete('invitations/:id')
  @RequiresAbility('members.write')
  @HttpCode(204)
  revokeInvitation(@ByMember() by: Actor, @Param('id', new IdPipe({ id: 'inv' })) id: string): Promise<void> {
    return this.invitations.revoke(by, id);
  }
}
