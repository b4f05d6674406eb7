import { ApiKeys, AuditLog, type PrincipalSession } from '#libs/accounts';
import { Refusal, type Role, type RowOf, roleRights } from '#libs/contracts';
import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { Letter } from '../letter.js';
import { member, type MemberView, type RemovedMember } from '../people.resource.js';
import { Sessions } from '../sessions.js';
import { normaliseEmail } from '../user-rules.js';

/** Who changes members, invitations and the like: a person, in one account. */
export interface Actor {
  accountId: string;
  session: PrincipalSession;
  /** The address of the client. */
  ip?: string;
  /** The operator of the service, who invites the first owner of an account of others. */
  isOperator?: true;
}

type MemberRow = RowOf<typeof member>;

const MEMBERS = `
  SELECT u.id, u.email, u.name, m.role, m.created_at AS joined_at,
         (SELECT max(s.last_seen_at) FROM sessions s WHERE s.user_id = u.id) AS last_seen_at
    FROM memberships m JOIN users u ON u.id = m.user_id
   WHERE m.account_id = $1 AND ($2::text IS NULL OR u.id = $2) ORDER BY m.created_at, u.id`;

/** The members of an account. A change takes effect within a second, also for open connections. */
@Injectable()
export class Members {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditLog,
    private readonly sessions: Sessions,
    private readonly keys: ApiKeys,
  ) {}

  /** In the order of joining. `mail_problem` is for the caller, who knows messages. */
  async list(accountId: string): Promise<MemberView[]> {
    const { rows } = await this.database.query<MemberRow>(MEMBERS, [accountId, null]);
    return rows.map(toView);
  }

  /** The number of members of each of these accounts that has any. */
  async countByAccount(accountIds: readonly string[]): Promise<Map<string, number>> {
    const { rows } = await this.database.query<{ id: string; members: number }>(
      'SELECT account_id AS id, count(*)::int AS members FROM memberships WHERE account_id = ANY($1::text[]) GROUP BY account_id',
      [accountIds],
    );
    return new Map(rows.map(({ id, members }) => [id, members]));
  }

  /** The accounts of the user with this address. */
  async accountsOf(email: string): Promise<string[]> {
    const { rows } = await this.database.query<{ id: string }>(
      'SELECT m.account_id AS id FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = $1 LIMIT 100',
      [normaliseEmail(email)],
    );
    return rows.map(({ id }) => id);
  }

  /** @throws Refusal not_found; session_refused for a change from or to owner by others; conflict for the last owner */
  async changeRole(by: Actor, userId: string, role: Role): Promise<MemberView> {
    const view = await this.database.transaction(async (tx) => {
      const before = await this.lock(tx, by.accountId, userId);
      if (before === 'owner' || role === 'owner') assertOwner(by);
      if (before !== role) {
        await tx.query('UPDATE memberships SET role = $3 WHERE account_id = $1 AND user_id = $2', [
          by.accountId,
          userId,
          role,
        ]);
        await this.record(tx, by, { action: 'member.role_changed', userId, details: { from: before, to: role } });
        await this.revokeInvitations(tx, by, { userId, role });
      }
      if (before === 'owner') await this.assertOwned(tx, by.accountId);
      const { rows } = await tx.query<MemberRow>(MEMBERS, [by.accountId, userId]);
      return toView(rows[0]);
    });
    await this.sessions.refresh(userId);
    return view;
  }

  /** With the message to the person. @throws Refusal not_found; session_refused for an owner by others; conflict for the last owner */
  async remove(by: Actor, userId: string): Promise<{ removed: RemovedMember; letter: Letter }> {
    const { revoked, letter } = await this.database.transaction(async (tx) => {
      const before = await this.lock(tx, by.accountId, userId);
      if (before === 'owner') assertOwner(by);
      await tx.query('DELETE FROM memberships WHERE account_id = $1 AND user_id = $2', [by.accountId, userId]);
      if (before === 'owner') await this.assertOwned(tx, by.accountId);
      await this.record(tx, by, { action: 'member.removed', userId, details: { role: before } });
      const { rows } = await tx.query<{ to: string; accountName: string }>(
        `SELECT u.email AS "to", a.name AS "accountName" FROM users u, accounts a WHERE u.id = $1 AND a.id = $2`,
        [userId, by.accountId],
      );
      const revokedNow = await this.revokeInvitations(tx, by, { userId, role: null });
      return { revoked: revokedNow, letter: { kind: 'member_removed' as const, ...rows[0] } };
    });
    await this.sessions.refresh(userId);
    const keys = await this.keys.createdBy(by.accountId, userId);
    const removed = {
      id: userId,
      object: 'member',
      deleted: true,
      revoked_invitations: revoked,
      api_keys: keys,
    } as const;
    return { removed, letter };
  }

  /** Revokes the open invitations of a person that the new role could not have made; null: the person is no member any more. */
  private async revokeInvitations(
    tx: Queryable,
    by: Actor,
    { userId, role }: { userId: string; role: Role | null },
  ): Promise<RemovedMember['revoked_invitations']> {
    const abilities = role === null ? null : roleRights.abilities[role];
    if (abilities?.has('owners.write')) return [];
    const { rows } = await tx.query<{ id: string; email: string; role: Role }>(
      `DELETE FROM invitations
        WHERE account_id = $1 AND invited_by = $2 AND expires_at > now() AND ($3 OR role = 'owner')
        RETURNING id, email, role`,
      [by.accountId, userId, !abilities?.has('members.write')],
    );
    const common = { accountId: by.accountId, actor: by.session.userId, ip: by.ip, action: 'invitation.revoked' };
    const entries = rows.map(({ id, email, role: invited }) => ({
      ...common,
      target: id,
      details: { email, role: invited },
    }));
    if (entries.length > 0) await this.audit.record(tx, ...entries);
    return rows;
  }

  /** Locks all members, so that concurrent changes cannot leave an account without an owner. */
  private async lock(tx: Queryable, accountId: string, userId: string): Promise<Role> {
    const { rows } = await tx.query<{ user_id: string; role: Role }>(
      'SELECT user_id, role FROM memberships WHERE account_id = $1 ORDER BY user_id FOR UPDATE',
      [accountId],
    );
    const found = rows.find((row) => row.user_id === userId);
    if (!found) throw new Refusal('not_found');
    return found.role;
  }

  private async assertOwned(tx: Queryable, accountId: string): Promise<void> {
    const { rows } = await tx.query(`SELECT FROM memberships WHERE account_id = $1 AND role = 'owner' LIMIT 1`, [
      accountId,
    ]);
    if (rows.length > 0) return;
    throw new Refusal(
      'conflict',
      [{ field: 'role', code: 'last_owner', message: 'must stay owner, because the account has no other' }],
      'An account must have an owner. Make another member an owner first.',
    );
  }

  private async record(
    tx: Queryable,
    by: Actor,
    { action, userId, details }: { action: string; userId: string; details: Record<string, unknown> },
  ): Promise<void> {
    const { rows } = await tx.query<{ email: string }>('SELECT email FROM users WHERE id = $1', [userId]);
    const entry = { actor: by.session.userId, action, target: userId, details: { email: rows[0]?.email, ...details } };
    await this.audit.record(tx, { accountId: by.accountId, ip: by.ip, ...entry });
  }
}

/** @throws Refusal session_refused */
export function assertOwner({ session }: Actor): void {
  if (session.abilities.has('owners.write')) return;
  throw new Refusal(
    'session_refused',
    [{ field: 'role', code: 'role', message: 'must not be owner, unless an owner asks' }],
    'Only an owner may appoint, change or remove an owner.',
  );
}

const toView = (row: MemberRow): MemberView => member.toView(row, { object: 'member', mail_problem: null });
