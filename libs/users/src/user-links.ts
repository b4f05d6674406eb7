import { Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { newToken, tokenHash } from './credentials/token.js';

export type LinkPurpose = 'login' | 'password_reset' | 'sign_up' | 'email_change';

/** Minutes until a link expires. Login links are printed on a terminal and used at once; the others travel by mail. */
const LINK_MINUTES: Readonly<Record<LinkPurpose, number>> = {
  login: 15,
  password_reset: 60,
  email_change: 60,
  sign_up: 24 * 60,
};

export interface UsedLink {
  userId: string | null;
  /** The address that the link was sent to. */
  email: string | null;
}

/** Links that work once. */
@Injectable()
export class UserLinks {
  constructor(private readonly database: Database) {}

  /** Returns the token. */
  async create(purpose: LinkPurpose, { userId, email }: Partial<UsedLink>): Promise<string> {
    const token = newToken();
    await this.database.query('DELETE FROM user_links WHERE expires_at <= now()');
    await this.database.query(
      `INSERT INTO user_links (token_hash, purpose, user_id, email, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(mins => $5))`,
      [tokenHash(token), purpose, userId ?? null, email ?? null, LINK_MINUTES[purpose]],
    );
    return token;
  }

  /** What the link is for, without using it; null if it has expired or was used. */
  async find(purpose: LinkPurpose, token: string): Promise<UsedLink | null> {
    const { rows } = await this.database.query<UsedLink>(
      `SELECT user_id AS "userId", email FROM user_links
        WHERE token_hash = $1 AND purpose = $2 AND expires_at > now()`,
      [tokenHash(token), purpose],
    );
    return rows[0] ?? null;
  }

  /** Uses the link: of two concurrent calls one gets it. */
  async use(tx: Queryable, purpose: LinkPurpose, token: string): Promise<UsedLink | null> {
    const { rows } = await tx.query<UsedLink>(
      `DELETE FROM user_links WHERE token_hash = $1 AND purpose = $2 AND expires_at > now()
       RETURNING user_id AS "userId", email`,
      [tokenHash(token), purpose],
    );
    return rows[0] ?? null;
  }
}
