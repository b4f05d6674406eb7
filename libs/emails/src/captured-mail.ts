import { Injectable } from '@nestjs/common';
import { LIMITS, newId } from '#libs/contracts';
import { Database, GroupCommit } from '#libs/persistence';

/** A mail of the capture inbox as the API shows it (details §6). */
export interface CapturedView {
  id: string;
  object: 'captured';
  email_id: string;
  mail_from: string;
  rcpt_to: string[];
  size: number;
  created_at: string;
}
export interface CapturedPage {
  object: 'list';
  has_more: boolean;
  data: CapturedView[];
  next_cursor: string | null;
}

interface Capture {
  emailId: string;
  mailFrom: string;
  rcptTo: string[];
  content: Buffer;
}

const KEPT_MAILS = 10_000;
const KEPT_DAYS = 7;
const GROUP_ITEMS = 64;
const GROUP_BYTES = 8 * 1024 * 1024;

/** The built-in inbox of capture mode and of test keys: what would have gone out, byte for byte. */
@Injectable()
export class CapturedMail {
  private readonly group: GroupCommit<Capture, void>;

  constructor(private readonly database: Database) {
    this.group = new GroupCommit({
      commit: (items) => this.insert(items),
      maxItems: GROUP_ITEMS,
      maxBytes: GROUP_BYTES,
      sizeOf: (item) => item.content.length,
    });
  }

  /** Resolves when the mail is on disk. */
  store(capture: Capture): Promise<void> {
    return this.group.add(capture);
  }

  /** Newest first. `after` is the id of the last one seen. */
  async list(
    accountId: string,
    query: { to?: string; emailId?: string; limit?: number; after?: string },
  ): Promise<CapturedPage> {
    const limit = query.limit ?? LIMITS.listDefault;
    const { rows } = await this.database.query<{
      id: string;
      email_id: string;
      mail_from: string;
      rcpt_to: string[];
      size: number;
      created_at: Date;
    }>(
      `SELECT id, email_id, mail_from, rcpt_to, size, created_at FROM captured_mails
       WHERE account_id = $1 AND ($2::text IS NULL OR $2 = ANY(rcpt_to)) AND ($3::text IS NULL OR email_id = $3) AND ($4::text IS NULL OR id < $4)
       ORDER BY id DESC LIMIT $5`,
      [accountId, query.to ?? null, query.emailId ?? null, query.after ?? null, limit + 1],
    );
    const shown = rows.slice(0, limit);
    const has_more = rows.length > limit;
    return {
      object: 'list',
      has_more,
      data: shown.map((row) => ({ ...row, object: 'captured' as const, created_at: row.created_at.toISOString() })),
      next_cursor: has_more ? shown[shown.length - 1].id : null,
    };
  }

  /** The exact bytes, or null when there is no such mail in this account. */
  async raw(accountId: string, id: string): Promise<Buffer | null> {
    const { rows } = await this.database.query<{ raw: Buffer }>(
      'SELECT raw FROM captured_mails WHERE account_id = $1 AND id = $2',
      [accountId, id],
    );
    return rows[0]?.raw ?? null;
  }

  /** Empties the account's inbox; returns how many mails went. */
  async clear(accountId: string): Promise<number> {
    return (await this.database.query('DELETE FROM captured_mails WHERE account_id = $1', [accountId])).rowCount;
  }

  /** Keeps the newest 10,000 mails of the last 7 days of each account. */
  async prune(): Promise<number> {
    const aged = await this.database.query(
      'DELETE FROM captured_mails WHERE created_at < now() - make_interval(days => $1)',
      [KEPT_DAYS],
    );
    const crowded = await this.database.query(
      `DELETE FROM captured_mails c USING (SELECT id, row_number() OVER (PARTITION BY account_id ORDER BY id DESC) AS place FROM captured_mails) p
       WHERE c.id = p.id AND p.place > $1`,
      [KEPT_MAILS],
    );
    return aged.rowCount + crowded.rowCount;
  }

  /** The account follows from the mail, so that no caller can put a mail into a foreign inbox. */
  private async insert(items: Capture[]): Promise<void[]> {
    const values: unknown[] = [];
    const rows = items.map((item) => {
      const n = values.length;
      values.push(newId('cap'), item.emailId, item.mailFrom, item.rcptTo, item.content.length, item.content);
      return `($${n + 1}::text, $${n + 2}::text, $${n + 3}::text, $${n + 4}::text[], $${n + 5}::int, $${n + 6}::bytea)`;
    });
    await this.database.query(
      `INSERT INTO captured_mails (id, account_id, email_id, mail_from, rcpt_to, size, raw)
       SELECT v.id, e.account_id, v.email_id, v.mail_from, v.rcpt_to, v.size, v.raw
       FROM (VALUES ${rows.join(', ')}) AS v(id, email_id, mail_from, rcpt_to, size, raw) JOIN emails e ON e.id = v.email_id`,
      values,
    );
    return items.map(() => undefined);
  }
}
