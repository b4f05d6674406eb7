import { isIP } from 'node:net';
import { newId, type RowOf } from '#libs/contracts';
import { Log, TtlCache } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { newToken, tokenHash } from './credentials/token.js';
import { session, type SessionView } from './people.resource.js';
import { IDLE_DAYS, SessionLookup, type LoggedIn } from './session-lookup.js';
import { Users } from './users.js';

/** A session ends after this time even if it is used. */
const LONGEST_DAYS = 30;
/** The end of a session, and a change of a role, must take effect within one second in every program. */
const CACHE_MS = 500;
const CACHED_SESSIONS = 10_000;
const SESSIONS_PER_USER = 50;
const USER_AGENT_LENGTH = 300;

/** A browser in which somebody has logged in before. */
export interface KnownBrowser {
  id: string;
  /** The users who did. */
  userIds: readonly string[];
}

/** Where a session is used. */
export interface Client {
  address: string;
  userAgent: string | null;
  /** Null for an unknown browser. */
  browser: KnownBrowser | null;
}

/** How the user proved to be the user. */
export type LoginMethod = 'password' | 'link' | 'password_reset' | 'sign_up' | 'invitation' | 'oidc';

export interface EndedSession {
  id: string;
  tokenHash: Buffer;
}

/** Sessions of the dashboard. The token is only in the cookie; every program applies the end of a session within a second. */
@Injectable()
export class Sessions {
  /** The lifetime of the cookie with the token. */
  readonly longestSeconds = LONGEST_DAYS * 86_400;
  private readonly cache: TtlCache<LoggedIn>;

  constructor(
    private readonly database: Database,
    private readonly users: Users,
    log: Log,
  ) {
    const lookup = new SessionLookup(database, log);
    this.cache = new TtlCache({
      load: (hash) => lookup.find(Buffer.from(hash, 'base64')),
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
    const { rows } = await this.database.query<RowOf<typeof session>>(
      `SELECT ${session.columns} FROM sessions
        WHERE user_id = $1 AND expires_at > now() AND ends_at > now() ORDER BY id DESC`,
      [userId],
    );
    return rows.map((row) => session.toView(row, { object: 'session', current: row.id === currentId }));
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
}
