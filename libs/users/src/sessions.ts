import { isIP } from 'node:net';
import type { Standing } from '#libs/accounts';
import { newId, type Role } from '#libs/contracts';
import { Log, TtlCache } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { newToken, tokenHash } from './credentials/token.js';
import { Users } from './users.js';

/** A session ends when it has not been used for this time. */
const IDLE_DAYS = 7;
/** A session ends after this time even if it is used. */
const LONGEST_DAYS = 30;
export const LONGEST_SECONDS = LONGEST_DAYS * 86_400;
/** The end of a session, and a change of a role, must take effect within one second in every program. */
const CACHE_MS = 500;
const CACHED_SESSIONS = 10_000;
const SESSIONS_PER_USER = 50;
const USER_AGENT_LENGTH = 300;

/** An account of the user, with the user's role in it. */
export interface Membership {
  accountId: string;
  name: string;
  standing: Standing;
  plan: string;
  role: Role;
  /** The first account, which belongs to the operator of this service. */
  isFirst: boolean;
}

/** A person with a session. */
export interface LoggedIn {
  sessionId: string;
  userId: string;
  email: string;
  name: string;
  hasPassword: boolean;
  userCreatedAt: Date;
  createdAt: Date;
  expiresAt: Date;
  /** The oldest account first. */
  memberships: Membership[];
}

/** Where a session is used. */
export interface Client {
  address: string;
  userAgent: string | null;
}

/** How the user proved to be the user. */
export type LoginMethod = 'password' | 'link' | 'password_reset' | 'sign_up' | 'invitation' | 'oidc';

export interface SessionView {
  id: string;
  object: 'session';
  /** The session that asks. */
  current: boolean;
  user_agent: string | null;
  ip: string | null;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
}

export interface EndedSession {
  id: string;
  tokenHash: Buffer;
}

interface SessionRow extends Omit<LoggedIn, 'memberships'> {
  memberships: Membership[] | null;
  isUseDue: boolean;
}

const BY_TOKEN = `
  SELECT s.id AS "sessionId", u.id AS "userId", u.email, u.name, u.password_hash IS NOT NULL AS "hasPassword",
         u.created_at AS "userCreatedAt", s.created_at AS "createdAt", s.expires_at AS "expiresAt",
         s.last_seen_at < now() - interval '1 minute' AS "isUseDue",
         (SELECT json_agg(json_build_object(
                   'accountId', a.id, 'name', a.name, 'standing', a.standing, 'plan', a.plan, 'role', m.role,
                   'isFirst', a.id = (SELECT first_account_id FROM installation)) ORDER BY a.id)
            FROM memberships m JOIN accounts a ON a.id = m.account_id WHERE m.user_id = u.id) AS memberships
    FROM sessions s JOIN users u ON u.id = s.user_id
   WHERE s.token_hash = $1 AND s.expires_at > now() AND s.ends_at > now()`;

const SET_LAST_SEEN = `
  UPDATE sessions SET last_seen_at = now(), expires_at = least(now() + make_interval(days => $2), ends_at)
   WHERE id = $1 AND last_seen_at < now() - interval '1 minute'`;

/** Sessions of the dashboard. The token is only in the cookie; every program applies the end of a session within a second. */
@Injectable()
export class Sessions {
  private readonly cache: TtlCache<LoggedIn>;

  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly log: Log,
  ) {
    this.cache = new TtlCache({
      load: (hash) => this.load(Buffer.from(hash, 'base64')),
      ttlMs: CACHE_MS,
      maxEntries: CACHED_SESSIONS,
    });
  }

  /** Returns the token of the new session. */
  async begin(userId: string, client: Client, method: LoginMethod): Promise<string> {
    return this.database.transaction((tx) => this.beginIn(tx, userId, { client, method }));
  }

  /** The same in a transaction. */
  async beginIn(tx: Queryable, userId: string, by: { client: Client; method: LoginMethod }): Promise<string> {
    const { client, method } = by;
    const token = newToken();
    const id = newId('ses');
    // Behind a proxy that is trusted without a check, an address is any text.
    const ip = isIP(client.address) === 0 ? null : client.address.replace(/^::ffff:(?=\d+\.)/, '');
    await tx.query(
      `INSERT INTO sessions (id, user_id, token_hash, user_agent, ip, expires_at, ends_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => $6), now() + make_interval(days => $7))`,
      [
        id,
        userId,
        tokenHash(token),
        client.userAgent?.slice(0, USER_AGENT_LENGTH) ?? null,
        ip,
        IDLE_DAYS,
        LONGEST_DAYS,
      ],
    );
    await tx.query(
      `DELETE FROM sessions WHERE user_id = $1 AND (expires_at <= now() OR ends_at <= now() OR id NOT IN (
         SELECT id FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT $2))`,
      [userId, SESSIONS_PER_USER],
    );
    await this.users.record(tx, userId, {
      action: 'session.started',
      target: id,
      details: { method },
      ip: client.address,
    });
    return token;
  }

  /** The holder of a token; null if the session has ended or never existed. */
  find(token: string): Promise<LoggedIn | null> {
    return this.cache.get(tokenHash(token).toString('base64'));
  }

  /** Newest first. */
  async list(userId: string, currentId: string): Promise<SessionView[]> {
    const { rows } = await this.database.query<{
      id: string;
      user_agent: string | null;
      ip: string | null;
      created_at: Date;
      last_seen_at: Date;
      expires_at: Date;
    }>(
      `SELECT id, user_agent, ip, created_at, last_seen_at, expires_at FROM sessions
        WHERE user_id = $1 AND expires_at > now() AND ends_at > now() ORDER BY id DESC`,
      [userId],
    );
    return rows.map((row) => ({
      id: row.id,
      object: 'session',
      current: row.id === currentId,
      user_agent: row.user_agent,
      ip: row.ip,
      created_at: row.created_at.toISOString(),
      last_seen_at: row.last_seen_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
    }));
  }

  /** Ends one session of the user; false if there is none with this id. */
  async end(userId: string, sessionId: string, ip?: string): Promise<boolean> {
    const ended = await this.database.transaction((tx) => this.endIn(tx, userId, { only: sessionId, ip }));
    this.forget(ended);
    return ended.length === 1;
  }

  /** Ends all sessions of the user but one; returns their number. */
  async endOthers(userId: string, exceptId: string, ip?: string): Promise<number> {
    const ended = await this.database.transaction((tx) => this.endIn(tx, userId, { except: exceptId, ip }));
    this.forget(ended);
    return ended.length;
  }

  /** Ends sessions in a transaction, all or as described. Call `forget` with the result when it is committed. */
  async endIn(
    tx: Queryable,
    userId: string,
    which: { only?: string; except?: string; ip?: string } = {},
  ): Promise<EndedSession[]> {
    const { rows } = await tx.query<EndedSession>(
      `DELETE FROM sessions WHERE user_id = $1 AND ($2::text IS NULL OR id = $2) AND ($3::text IS NULL OR id <> $3)
       RETURNING id, token_hash AS "tokenHash"`,
      [userId, which.only ?? null, which.except ?? null],
    );
    for (const { id } of rows)
      await this.users.record(tx, userId, { action: 'session.ended', target: id, details: {}, ip: which.ip });
    return rows;
  }

  /** Makes the end of sessions visible in this process at once; the others see it within `CACHE_MS`. */
  forget(ended: readonly EndedSession[]): void {
    for (const { tokenHash: hash } of ended) this.cache.delete(hash.toString('base64'));
  }

  /** Makes a change of the user or of a membership visible in this process. */
  async refresh(userId: string): Promise<void> {
    const { rows } = await this.database.query<EndedSession>(
      'SELECT id, token_hash AS "tokenHash" FROM sessions WHERE user_id = $1',
      [userId],
    );
    this.forget(rows);
  }

  private async load(hash: Buffer): Promise<LoggedIn | null> {
    const { rows } = await this.database.query<SessionRow>({
      name: 'session-by-token',
      text: BY_TOKEN,
      values: [hash],
    });
    if (rows.length === 0) return null;
    const [{ isUseDue, memberships, ...row }] = rows;
    if (isUseDue) this.recordUse(row.sessionId);
    return { ...row, memberships: memberships ?? [] };
  }

  /** At most once a minute per session, and not awaited, so that it does not delay the request. */
  private recordUse(id: string): void {
    this.database
      .query(SET_LAST_SEEN, [id, IDLE_DAYS])
      .catch((error: Error) => this.log.warn('the last use of a session cannot be stored', { reason: error.message }));
  }
}
