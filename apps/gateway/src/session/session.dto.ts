import type { Role } from '#libs/contracts';
import { credentialRule, newPasswordRule, roleRule, userEmailRule, userNameRule } from '#libs/users';
import { FieldRule } from '../rest/validation/field-rule.decorator.js';

export class LoginDto {
  @FieldRule(credentialRule, { required: true })
  email: string;

  @FieldRule(credentialRule, { required: true })
  password: string;
}

/** Where a message is sent that does not tell whether there is a user. */
export class AddressDto {
  @FieldRule(userEmailRule, { required: true })
  email: string;
}

export class TokenDto {
  @FieldRule(credentialRule, { required: true })
  token: string;
}

export class ResetDto extends TokenDto {
  @FieldRule(newPasswordRule, { required: true })
  password: string;
}

export class SignUpDto extends ResetDto {
  @FieldRule(userNameRule)
  name?: string;

  @FieldRule(userNameRule)
  account_name?: string;
}

/** The password of a new user, which is long enough, or of a known one, which is compared. */
export class AcceptInvitationDto extends TokenDto {
  @FieldRule(credentialRule)
  password?: string;

  @FieldRule(userNameRule)
  name?: string;
}

export class ProfileDto {
  @FieldRule(userNameRule, { required: true })
  name: string;
}

export class ChangePasswordDto {
  @FieldRule(credentialRule)
  current_password?: string;

  @FieldRule(newPasswordRule, { required: true })
  password: string;
}

export class ChangeEmailDto extends AddressDto {
  @FieldRule(credentialRule)
  current_password?: string;
}

export class RoleDto {
  @FieldRule(roleRule, { required: true })
  role: Role;
}

export class InviteDto extends RoleDto {
  @FieldRule(userEmailRule, { required: true })
  email: string;
}
