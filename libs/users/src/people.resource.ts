import { accountShapes } from '#libs/accounts';
import { fields, resource, type RowOf, type Shape, type ViewOf, roleRights } from '#libs/contracts';
import { userRules } from './user-rules.js';

const role = fields.choice(roleRights.all, 'The permissions of the member', 'developer');
const email = fields.text('The address, in lower case', 'ann@example.com');

const mailProblem = {
  name: 'MailProblem',
  about: 'Why messages of the service to a person fail.',
  fields: {
    reason: fields.text('The reply of the server, or another reason', '550 5.1.1 No such user').orNull(),
    since: fields.time('When the message failed'),
    stopped: fields.flag(
      'True if no further message is sent to the address, because the mailbox does not exist; false if the next one is tried',
      true,
    ),
  },
} as const satisfies Shape;

const mailProblemOf = fields
  .object(mailProblem, 'Why the last message of the service to the person failed; null if it did not')
  .orNull();

export const user = resource({
  name: 'User',
  about: 'A person who uses the dashboard.',
  table: 'users',
  fields: {
    id: fields.id('usr').stored(),
    email: email.stored(),
    name: fields.text('The name that other members see; may be empty', 'Ann').stored(),
    has_password: fields.flag('False for a person who logs in by links or an OpenID provider only', true),
    created_at: fields.time().stored(),
  },
  internal: { password_hash: fields.column<string | null>() },
});

export const session = resource({
  name: 'Session',
  about: 'A session of a user in a browser.',
  table: 'sessions',
  fields: {
    id: fields.id('ses').stored(),
    object: fields.kind('session'),
    current: fields.flag('The session that asks', true),
    user_agent: fields.text('The browser, as it named itself', 'Mozilla/5.0').orNull().stored(),
    ip: fields.text('The address that began the session', '192.0.2.1').orNull().stored(),
    created_at: fields.time().stored(),
    last_seen_at: fields.time('Last use, to the minute').stored(),
    expires_at: fields.time('When it ends unless it is used').stored(),
  },
  internal: {},
});

/** A user in an account: columns of both tables. */
export const member = resource({
  name: 'Member',
  about: 'A member of an account.',
  table: 'memberships',
  fields: {
    id: fields.id('usr').stored(),
    object: fields.kind('member'),
    email: email.stored(),
    name: user.fields.name,
    role: role.stored(),
    joined_at: fields.time('When the user became a member').stored(),
    last_seen_at: fields.time('Last use of a session; null without one').orNull().stored(),
    mail_problem: mailProblemOf,
  },
  internal: {},
});

export const invitation = resource({
  name: 'Invitation',
  about: 'An open invitation to an account.',
  table: 'invitations',
  fields: {
    id: fields.id('inv').stored(),
    object: fields.kind('invitation'),
    email: email.stored().given(userRules.email, { required: true }),
    role: role.stored().given(userRules.role, { required: true }),
    invited_by: fields.id('usr', 'The member who invited').stored(),
    created_at: fields.time().stored(),
    expires_at: fields.time().stored(),
    mail_problem: mailProblemOf,
  },
  internal: { account_id: fields.column<string>() },
});

const openInvitation = {
  name: 'OpenInvitation',
  about: 'An invitation as the invited person sees it.',
  fields: {
    object: fields.kind('invitation'),
    email,
    role,
    account_name: fields.text('The name of the account', 'Example Ltd'),
    user_exists: fields.flag('Whether the invited person has a login already', false),
    expires_at: invitation.fields.expires_at,
  },
} as const satisfies Shape;

const removedMember = {
  name: 'RemovedMember',
  about: 'A person who was removed from an account, and what the person leaves behind.',
  fields: {
    id: member.fields.id,
    object: member.fields.object,
    deleted: fields.flag('Always true', true),
    revoked_invitations: fields.objects(
      {
        name: 'RevokedInvitation',
        about: 'An open invitation that the person had made.',
        fields: { id: invitation.fields.id, email, role },
      },
      'Open invitations that the person had made, which are revoked',
    ),
    api_keys: fields.objects(
      accountShapes.apiKey,
      'Keys that the person created, or that were created with such a key. They work until they are revoked',
    ),
  },
} as const satisfies Shape;

/** A row of `users`. */
export interface User extends RowOf<typeof user> {}
export interface SessionView extends ViewOf<typeof session> {}
export interface MemberView extends ViewOf<typeof member> {}
export interface InvitationView extends ViewOf<typeof invitation> {}
/** A row of `invitations`. */
export interface InvitationRow extends RowOf<typeof invitation> {}
export interface OpenInvitation extends ViewOf<typeof openInvitation> {}
export interface RemovedMember extends ViewOf<typeof removedMember> {}

/** The definitions of people, for the programs. */
export const userShapes = { user, session, member, invitation, openInvitation, removedMember };
