import type { Role } from '#libs/contracts';
import { userRules, userShapes } from '#libs/users';
import { bodyClass, responseClass } from '../openapi/definition-classes.js';
import { FieldRule } from '../rest/validation/field-rule.decorator.js';

export class LoginDto {
  @FieldRule(userRules.credential, { required: true })
  email: string;

  @FieldRule(userRules.credential, { required: true })
  password: string;
}

/** Where a message is sent that does not tell whether there is a user. */
export class AddressDto {
  @FieldRule(userRules.email, { required: true })
  email: string;
}

export class TokenDto {
  @FieldRule(userRules.credential, { required: true })
  token: string;
}

export class ResetDto extends TokenDto {
  @FieldRule(userRules.newPassword, { required: true })
  password: string;
}

export class SignUpDto extends ResetDto {
  @FieldRule(userRules.name)
  name?: string;

  @FieldRule(userRules.name)
  account_name?: string;
}

/** The password of a new user, which is long enough, or of a known one, which is compared. */
export class AcceptInvitationDto extends TokenDto {
  @FieldRule(userRules.credential)
  password?: string;

  @FieldRule(userRules.name)
  name?: string;
}

export class ProfileDto {
  @FieldRule(userRules.name, { required: true })
  name: string;
}

export class ChangePasswordDto {
  @FieldRule(userRules.credential)
  current_password?: string;

  @FieldRule(userRules.newPassword, { required: true })
  password: string;
}

export class ChangeEmailDto extends AddressDto {
  @FieldRule(userRules.credential)
  current_password?: string;
}

export class RoleDto {
  @FieldRule(userRules.role, { required: true })
  role: Role;
}

export class InviteDto extends bodyClass<{ email: string; role: Role }>(userShapes.invitation, 'create') {}

export class UserDto extends responseClass(userShapes.user) {}
export class SessionDto extends responseClass(userShapes.session) {}
export class MemberDto extends responseClass(userShapes.member) {}
export class RemovedMemberDto extends responseClass(userShapes.removedMember) {}
export class InvitationDto extends responseClass(userShapes.invitation) {}
export class OpenInvitationDto extends responseClass(userShapes.openInvitation) {}
