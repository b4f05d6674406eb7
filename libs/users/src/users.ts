import { AuditLog } from '#libs/accounts';
import { newId, type Role } from '#libs/contracts';
import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { user, type User } from './people.resource.js';
import { normaliseEmail } from './user-rules.js';

interface UserAction {
  action: string;
  /** The user, unless given. */
  target?: string;
  details: Record<string, unknown>;
  /** The address of the client. */
  ip?: string;
}

/** The people who use the dashboard. */
@Injectable()
export class Users {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditLog,
  ) {}

  async find(id: string, tx: Queryable = this.database): Promise<User | null> {
    const { rows } = await tx.query<User>(`SELECT ${user.columns} FROM users WHERE id = $1`, [id]);
    return rows[0] ?? null;
  }

  async findByEmail(email: string, tx: Queryable = this.database): Promise<User | null> {
    const { rows } = await tx.query<User>(`SELECT ${user.columns} FROM users WHERE email = $1`, [
      normaliseEmail(email),
    ]);
    return rows[0] ?? null;
  }

  /** Null if another user has this address. */
  async create(
    tx: Queryable,
    { email, name = '', passwordHash }: { email: string; name?: string; passwordHash: string | null },
  ): Promise<User | null> {
    const { rows } = await tx.query<User>(
      `INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, $3, $4)
       ON CONFLICT (email) DO NOTHING RETURNING ${user.columns}`,
      [newId('usr'), normaliseEmail(email), name.trim(), passwordHash],
    );
    return rows[0] ?? null;
  }

  /** No effect for a member. */
  async join(tx: Queryable, member: { accountId: string; userId: string; role: Role }): Promise<void> {
    await tx.query('INSERT INTO memberships (account_id, user_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      member.accountId,
      member.userId,
      member.role,
    ]);
  }

  async rename(userId: string, name: string, ip?: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('UPDATE users SET name = $2 WHERE id = $1', [userId, name.trim()]);
      await this.record(tx, userId, { action: 'user.renamed', details: {}, ip });
    });
  }

  async setPassword(
    tx: Queryable,
    userId: string,
    { passwordHash, ip }: { passwordHash: string; ip?: string },
  ): Promise<void> {
    await tx.query('UPDATE users SET password_hash = $2 WHERE id = $1', [userId, passwordHash]);
    // Links that were requested with the old password end with it.
    await tx.query('DELETE FROM user_links WHERE user_id = $1', [userId]);
    await this.record(tx, userId, { action: 'user.password_changed', details: {}, ip });
  }

  /** False if another user has this address. */
  async setEmail(tx: Queryable, userId: string, { email, ip }: { email: string; ip?: string }): Promise<boolean> {
    const { rowCount } = await tx.query(
      'UPDATE users SET email = $2 WHERE id = $1 AND NOT EXISTS (SELECT FROM users WHERE email = $2 AND id <> $1)',
      [userId, email],
    );
    if (rowCount === 0) return false;
    await this.record(tx, userId, { action: 'user.email_changed', details: { email }, ip });
    return true;
  }

  /** Records a change of the user alone in the audit log of each account of the user. */
  async record(tx: Queryable, userId: string, { action, target = userId, details, ip }: UserAction): Promise<void> {
    const { rows } = await tx.query<{ account_id: string }>('SELECT account_id FROM memberships WHERE user_id = $1', [
      userId,
    ]);
    const entries = rows.map(({ account_id: accountId }) => ({
      accountId,
      actor: userId,
      action,
      target,
      details,
      ip,
    }));
    if (entries.length > 0) await this.audit.record(tx, ...entries);
  }
}
