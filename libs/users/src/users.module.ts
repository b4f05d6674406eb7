import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { FirstOwner } from './first-owner.js';
import { Logins } from './logins.js';
import { Invitations } from './membership/invitations.js';
import { Members } from './membership/members.js';
import { OidcLogins } from './oidc-logins.js';
import { Sessions } from './sessions.js';
import { UserLinks } from './user-links.js';
import { Users } from './users.js';

const EXPORTED = [FirstOwner, Invitations, Logins, Members, OidcLogins, Sessions, Users];

@Module({
  imports: [AccountsModule],
  providers: [...EXPORTED, UserLinks],
  exports: EXPORTED,
})
export class UsersModule {}
