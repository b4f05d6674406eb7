export { FirstOwner } from './first-owner.js';
export type { Letter } from './letter.js';
export { Logins } from './logins.js';
export { Invitations, type InvitationView, type OpenInvitation } from './membership/invitations.js';
export { Members, type Actor, type MemberView, type RemovedMember } from './membership/members.js';
export { OIDC_SECONDS, OidcLogins } from './oidc-logins.js';
export {
  LONGEST_SECONDS,
  Sessions,
  type Client,
  type LoggedIn,
  type Membership,
  type SessionView,
} from './sessions.js';
export { UserLinks } from './user-links.js';
export { credentialRule, newPasswordRule, roleRule, userEmailRule, userNameRule } from './user-rules.js';
export { Users } from './users.js';
export { UsersModule } from './users.module.js';
