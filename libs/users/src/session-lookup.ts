import type { Standing } from '#libs/accounts';
import type { Role } from '#libs/contracts';
import type { Log } from '#libs/kernel';
import { GroupCommit, type Database } from '#libs/persistence';

/** A session ends when it has not been used for this time. */
export const IDLE_DAYS = 7;

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

interface SessionRow extends Omit<LoggedIn, 'memberships'> {
  tokenHash: Buffer;
  memberships: Membership[] | null;
  isUseDue: boolean;
}

const BY_TOKENS = `
  SELECT s.token_hash AS "tokenHash", s.id AS "sessionId", u.id AS "userId", u.email, u.name, u.password_hash IS NOT NULL AS "hasPassword",
         u.created_at AS "userCreatedAt", s.created_at AS "createdAt", s.expires_at AS "expiresAt",
         s.last_seen_at < now() - interval '1 minute' AS "isUseDue",
         (SELECT json_agg(json_build_object(
                   'accountId', a.id, 'name', a.name, 'standing', a.standing, 'plan', a.plan, 'role', m.role,
                   'isFirst', a.id = (SELECT first_account_id FROM installation)) ORDER BY a.id)
            FROM memberships m JOIN accounts a ON a.id = m.account_id WHERE m.user_id = u.id) AS memberships
    FROM sessions s JOIN users u ON u.id = s.user_id
   WHERE s.token_hash = ANY($1::bytea[]) AND s.expires_at > now() AND s.ends_at > now()`;

const SET_LAST_SEEN = `
  UPDATE sessions SET last_seen_at = now(), expires_at = least(now() + make_interval(days => $2), ends_at)
   WHERE id = ANY($1::text[]) AND last_seen_at < now() - interval '1 minute'`;

/**
 * Reads sessions by the hash of their token. Concurrent lookups share one query, so that a flood of unknown tokens, or the
 * repeated checks of many open WebSockets, occupy one connection and not the whole pool.
 */
export class SessionLookup {
  private readonly lookups = new GroupCommit<Buffer, LoggedIn | null>({
    commit: (hashes) => this.query(hashes),
    maxItems: 500,
  });

  constructor(
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /** Null for a session that has ended or never existed. */
  find(hash: Buffer): Promise<LoggedIn | null> {
    return this.lookups.add(hash);
  }

  private async query(hashes: Buffer[]): Promise<(LoggedIn | null)[]> {
    const { rows } = await this.database.query<SessionRow>({
      name: 'sessions-by-token',
      text: BY_TOKENS,
      values: [hashes],
    });
    this.recordUse(rows.filter((row) => row.isUseDue).map((row) => row.sessionId));
    const found = new Map(rows.map((row) => [row.tokenHash.toString('base64'), toLoggedIn(row)]));
    return hashes.map((hash) => found.get(hash.toString('base64')) ?? null);
  }

  /** At most once a minute per session, and not awaited, so that it does not delay the request. */
  private recordUse(ids: string[]): void {
    if (ids.length === 0) return;
    this.database
      .query(SET_LAST_SEEN, [ids, IDLE_DAYS])
      .catch((error: Error) => this.log.warn('the last use of sessions cannot be stored', { reason: error.message }));
  }
}

const toLoggedIn = ({ tokenHash: _hash, isUseDue: _isUseDue, memberships, ...row }: SessionRow): LoggedIn => ({
  ...row,
  memberships: memberships ?? [],
});
