import { AuditLog } from '#libs/accounts';
import { LIMITS, newId, Refusal, type Role } from '#libs/contracts';
import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { hashPassword } from '../credentials/password-hash.js';
import { linkExpired, newToken, tokenHash } from '../credentials/token.js';
import type { Letter } from '../letter.js';
import { guesserOf, Logins } from '../logins.js';
import {
  invitation,
  type InvitationRow,
  type InvitationView,
  type OpenInvitation,
  type User,
} from '../people.resource.js';
import type { LoggedIn } from '../session-lookup.js';
import { Sessions, type Client } from '../sessions.js';
import { newPasswordRule, normaliseEmail } from '../user-rules.js';
import { Users } from '../users.js';
import { countInvitation } from './invitation-limits.js';
import { assertOwner, type Actor } from './members.js';

export const INVITATION_DAYS = 7;

type InvitationLetter = Extract<Letter, { kind: 'invitation' }>;

interface CheckRow extends Pick<InvitationLetter, 'accountName' | 'invitedBy'> {
  members: number;
  isMember: boolean;
}

/** Invitations to an account. The link is only in the message to the invited address, which proves that address. */
@Injectable()
export class Invitations {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditLog,
    private readonly users: Users,
    private readonly logins: Logins,
    private readonly sessions: Sessions,
  ) {}

  /** The open invitations, newest first. `mail_problem` is for the caller, who knows messages. */
  async list(accountId: string): Promise<InvitationView[]> {
    const { rows } = await this.database.query<InvitationRow>(
      `SELECT ${invitation.columns} FROM invitations WHERE account_id = $1 AND expires_at > now() ORDER BY id DESC`,
      [accountId],
    );
    return rows.map(toView);
  }

  /** @throws Refusal not_found */
  async find(accountId: string, id: string): Promise<InvitationView> {
    const found = (await this.list(accountId)).find((one) => one.id === id);
    if (!found) throw new Refusal('not_found');
    return found;
  }

  /**
   * Replaces an earlier invitation of the same address.
   * @throws Refusal conflict for a member or too many open ones; session_refused for an owner by others; rate_limit_exceeded
   */
  async create(
    by: Actor,
    { email: given, role }: { email: string; role: Role },
  ): Promise<{ invitation: InvitationView; letter: Letter }> {
    if (role === 'owner') assertOwner(by);
    const email = normaliseEmail(given);
    const token = newToken();
    return this.database.transaction(async (tx) => {
      const { accountName, invitedBy } = await this.check(tx, by, email);
      await tx.query('DELETE FROM invitations WHERE expires_at <= now()');
      await countInvitation(tx, { accountId: by.accountId, email, ip: by.ip });
      const { rows } = await tx.query<InvitationRow>(
        `INSERT INTO invitations (id, account_id, email, role, token_hash, invited_by, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7))
         ON CONFLICT (account_id, email) DO UPDATE
           SET id = excluded.id, role = excluded.role, token_hash = excluded.token_hash, invited_by = excluded.invited_by,
               created_at = now(), expires_at = excluded.expires_at
         RETURNING ${invitation.columns}`,
        [newId('inv'), by.accountId, email, role, tokenHash(token), by.session.userId, INVITATION_DAYS],
      );
      await this.record(tx, rows[0], { actor: by.session.userId, ip: by.ip, action: 'invitation.created' });
      return {
        invitation: toView(rows[0]),
        letter: { kind: 'invitation', to: email, token, role, accountName, invitedBy },
      };
    });
  }

  /** @throws Refusal not_found */
  async revoke(by: Actor, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { rows } = await tx.query<InvitationRow>(
        `DELETE FROM invitations WHERE account_id = $1 AND id = $2 RETURNING ${invitation.columns}`,
        [by.accountId, id],
      );
      if (rows.length === 0) throw new Refusal('not_found');
      await this.record(tx, rows[0], { actor: by.session.userId, ip: by.ip, action: 'invitation.revoked' });
    });
  }

  /** @throws Refusal with the code link_expired */
  async lookUp(token: string, client: Client): Promise<OpenInvitation> {
    const { email, role, accountName, expires_at, user } = await this.open(token, client);
    return {
      object: 'invitation',
      email,
      role,
      account_name: accountName,
      user_exists: user !== null,
      expires_at: expires_at.toISOString(),
    };
  }

  /**
   * Makes the invited person a member, and logs in. A new user needs a password; a known one logs in with the own password,
   * or is `viewer`.
   * @throws Refusal with the code link_expired; missing_required_field; not_logged_in with the code wrong_credentials
   */
  async accept(
    { token, password, name }: { token: string; password?: string; name?: string },
    viewer: LoggedIn | null,
    client: Client,
  ): Promise<string> {
    const { user, email } = await this.open(token, client);
    if (user !== null && user.id !== viewer?.userId)
      await this.logins.verified({ email, password: password ?? '' }, client);
    const passwordHash = user === null ? await hashPassword(requireNewPassword(password)) : null;
    const session = await this.database.transaction(async (tx) => {
      const member = user ?? (await this.users.create(tx, { email, name, passwordHash }));
      if (member === null) throw linkExpired();
      await this.use(tx, token, { ...member, ip: client.address });
      return this.sessions.beginIn(tx, member.id, { client, method: 'invitation' });
    });
    if (user !== null) await this.sessions.refresh(user.id);
    return session;
  }

  /** Whether the invitation is open, and of this address. */
  async isFor(tx: Queryable, token: string, email: string): Promise<boolean> {
    const { rows } = await tx.query(
      'SELECT FROM invitations WHERE token_hash = $1 AND email = $2 AND expires_at > now()',
      [tokenHash(token), normaliseEmail(email)],
    );
    return rows.length > 0;
  }

  /** Uses the invitation for a user whose address is proved to be the invited one. @throws Refusal with the code link_expired */
  async use(tx: Queryable, token: string, user: Pick<User, 'id' | 'email'> & { ip?: string }): Promise<void> {
    const { rows } = await tx.query<InvitationRow>(
      `DELETE FROM invitations WHERE token_hash = $1 AND email = $2 AND expires_at > now() RETURNING ${invitation.columns}`,
      [tokenHash(token), user.email],
    );
    if (rows.length === 0) throw linkExpired();
    const [{ account_id: accountId, role }] = rows;
    await this.users.join(tx, { accountId, userId: user.id, role });
    await this.record(tx, rows[0], { actor: user.id, ip: user.ip, action: 'invitation.accepted' });
  }

  private async open(
    token: string,
    client: Client,
  ): Promise<InvitationRow & { accountName: string; user: User | null }> {
    const found = await this.logins.limits.guess(guesserOf(client), async () => {
      const { rows } = await this.database.query<InvitationRow & { accountName: string }>(
        `SELECT i.*, a.name AS "accountName" FROM invitations i JOIN accounts a ON a.id = i.account_id
          WHERE i.token_hash = $1 AND i.expires_at > now()`,
        [tokenHash(token)],
      );
      return rows[0] ?? null;
    });
    if (found === null) throw linkExpired();
    return { ...found, user: await this.users.findByEmail(found.email) };
  }

  private async check(
    tx: Queryable,
    by: Actor,
    email: string,
  ): Promise<Pick<InvitationLetter, 'accountName' | 'invitedBy'>> {
    await assertStillMember(tx, by);
    const { rows } = await tx.query<CheckRow>(
      `SELECT a.name AS "accountName",
              (SELECT json_build_object('name', name, 'email', email) FROM users WHERE id = $3) AS "invitedBy",
              (SELECT count(*)::integer FROM memberships WHERE account_id = $1) AS members,
              EXISTS (SELECT FROM memberships m JOIN users u ON u.id = m.user_id
                       WHERE m.account_id = $1 AND u.email = $2) AS "isMember"
         FROM accounts a WHERE a.id = $1`,
      [by.accountId, email, by.session.userId],
    );
    const [{ members, isMember, ...names }] = rows;
    if (isMember)
      throw conflict('already_a_member', 'must not be that of a member', 'This person is a member already.');
    if (members >= LIMITS.membersPerAccount)
      throw conflict(
        'too_many',
        `must be one of at most ${LIMITS.membersPerAccount}`,
        'The account has too many members.',
      );
    return names;
  }

  private async record(
    tx: Queryable,
    { id, account_id: accountId, email, role }: InvitationRow,
    by: { actor: string; ip?: string; action: string },
  ): Promise<void> {
    await this.audit.record(tx, { accountId, ...by, target: id, details: { email, role } });
  }
}

/** A session sees its removal within a second; no invitation may outlive it. Waits for a removal that is under way. */
async function assertStillMember(tx: Queryable, { accountId, session, isOperator }: Actor): Promise<void> {
  if (isOperator) return;
  const { rows } = await tx.query<{ role: Role }>(
    'SELECT role FROM memberships WHERE account_id = $1 AND user_id = $2 FOR SHARE',
    [accountId, session.userId],
  );
  if (rows.at(0)?.role === session.role) return;
  const detail = { field: '', code: 'not_a_member', message: 'must be of a member whose role permits it' };
  throw new Refusal('session_refused', [detail], 'Your role in this account has changed.');
}

const conflict = (code: string, message: string, sentence: string): Refusal =>
  new Refusal('conflict', [{ field: 'email', code, message }], sentence);

/** @throws Refusal missing_required_field, validation_error */
function requireNewPassword(password: string | undefined): string {
  if (password === undefined)
    throw new Refusal('missing_required_field', [{ field: 'password', code: 'required', message: 'is required' }]);
  const details = newPasswordRule(password).map(({ code, message }) => ({ field: 'password', code, message }));
  if (details.length > 0) throw new Refusal('validation_error', details, `The password ${details[0].message}.`);
  return password;
}

const toView = (row: InvitationRow): InvitationView =>
  invitation.toView(row, { object: 'invitation', mail_problem: null });
