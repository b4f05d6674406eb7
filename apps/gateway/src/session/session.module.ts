import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { DomainsModule } from '#libs/domains';
import { EmailsModule } from '#libs/emails';
import { SuppressionsModule } from '#libs/suppressions';
import { FirstUser } from './first-user.js';
import { KnownBrowsers } from './known-browsers.js';
import { HealthController } from './health.controller.js';
import { LinkMail } from '#libs/notices';
import { LoginController } from './login.controller.js';
import { LoginLinks } from './login-links.js';
import { MemberMail } from './member-mail.js';
import { MembersController } from './members.controller.js';
import { OidcController } from './oidc.controller.js';
import { OwnUserController } from './own-user.controller.js';
import { SessionAccessModule } from './session-access.js';
import { SessionReplies } from './session-replies.js';

/** Not part of the public API: `openapi.json` does not describe them. */
export const SESSION_CONTROLLERS = [
  HealthController,
  LoginController,
  MembersController,
  OidcController,
  OwnUserController,
];

/** Login to the dashboard, and the people of an account. */
@Module({
  imports: [AccountsModule, DomainsModule, EmailsModule, SessionAccessModule, SuppressionsModule],
  controllers: SESSION_CONTROLLERS,
  providers: [FirstUser, KnownBrowsers, LinkMail, LoginLinks, MemberMail, SessionReplies],
  exports: [FirstUser],
})
export class SessionModule {}
