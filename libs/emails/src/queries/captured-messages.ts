import { Injectable } from '@nestjs/common';
import { isId, LIMITS, newId, toPage, type Page, type Visibility } from '#libs/contracts';
import { Config, databaseClock } from '#libs/kernel';
import { Database, GroupCommit, Partitions, type Expired } from '#libs/persistence';
import { capturedMessage, type CapturedRow, type CapturedView } from '../captured-message.resource.js';
import { SEARCH_TEXT } from './list/search-segments.js';
import { inLanes } from '../commands/lanes.js';
import { visibilityValues, visibleEmails } from './visible-emails.js';

interface Capture {
  emailId: string;
  mailFrom: string;
  rcptTo: string[];
  content: Buffer;
}

/**
 * Condition on row `c` of `captured_messages` with its parameters from `$first` on. The domain and the mode are those of the
 * email, which is kept longer; a scalar subquery, because the planner may turn EXISTS into a scan of all emails. The mark of
 * login mail is in the row itself, because the common case reads nothing else.
 */
function visibleMessages(visibility: Visibility, first: number): { condition: string; values: unknown[] } {
  const { accountId, mode, domainIds } = visibility;
  const condition = `c.account_id = $${first}${visibility.seesLoginMail === true ? '' : ' AND NOT c.is_login_mail'}`;
  if (mode === 'live' && domainIds === null) return { condition, values: [accountId] };
  return {
    condition: `${condition} AND c.email_id = (SELECT e.id FROM emails e WHERE e.id = c.email_id AND ${visibleEmails(first)} LIMIT 1)`,
    values: visibilityValues(visibility),
  };
}

/** `$5` is part of an envelope address, or of what a search of emails reads. At most `KEPT_MESSAGES` are compared. */
const CONTAINS = `(strpos(lower(array_to_string(c.rcpt_to, E'\\n')), lower($5)) > 0
  OR strpos((SELECT ${SEARCH_TEXT} FROM emails e WHERE e.id = c.email_id), lower($5)) > 0)`;

/** Of each account. */
const KEPT_MESSAGES = 10_000;
/** Messages that one statement deletes: it must not hold locks for long. */
const DELETED_AT_ONCE = 500;

/** A loose index scan: one look-up for each account with captured messages. */
const NEXT_ACCOUNT = `
  SELECT account_id AS id FROM captured_messages WHERE account_id > $1 ORDER BY account_id LIMIT 1`;

/** The newest message of an account that is not kept. */
const FIRST_BEYOND = `
  SELECT id FROM captured_messages WHERE account_id = $1 ORDER BY account_id DESC, id DESC OFFSET ${KEPT_MESSAGES} LIMIT 1`;

const DELETE_UP_TO = `
  DELETE FROM captured_messages WHERE account_id = $1 AND id IN (
    SELECT id FROM captured_messages WHERE account_id = $1 AND id <= $2
     ORDER BY id LIMIT ${DELETED_AT_ONCE} FOR UPDATE SKIP LOCKED)`;

const GROUP_ITEMS = 64;
const GROUP_BYTES = 8 * 1024 * 1024;

/** The capture inbox of capture mode and of test keys, with the exact bytes that would have been sent. */
@Injectable()
export class CapturedMessages {
  private readonly group: GroupCommit<Capture, void>;

  constructor(
    private readonly database: Database,
    private readonly partitions: Partitions,
    private readonly config: Config,
  ) {
    this.group = new GroupCommit({
      commit: (items) => this.insert(items),
      maxItems: GROUP_ITEMS,
      maxBytes: GROUP_BYTES,
      sizeOf: (item) => item.content.length,
    });
  }

  /** Resolves when the message is committed. */
  store(capture: Capture): Promise<void> {
    return this.group.add(capture);
  }

  /** Newest first. `to`: normalised. `after` is the id of the last message of the previous page. */
  async list(
    visibility: Visibility,
    query: { to?: string; search?: string; emailId?: string; limit?: number; after?: string },
  ): Promise<Page<CapturedView>> {
    const limit = query.limit ?? LIMITS.listDefault;
    const { condition, values } = visibleMessages(visibility, 6);
    const { rows } = await this.database.query<CapturedRow>(
      `SELECT ${capturedMessage.columns} FROM captured_messages c
       WHERE ($1::text IS NULL OR EXISTS (SELECT FROM unnest(c.rcpt_to) AS rcpt WHERE lower(rcpt) = $1)) AND ($2::text IS NULL OR c.email_id = $2)
         AND ($3::text IS NULL OR c.id < $3) AND ${condition} AND ($5::text IS NULL OR ${CONTAINS})
       ORDER BY c.id DESC LIMIT $4`,
      [query.to ?? null, query.emailId ?? null, query.after ?? null, limit + 1, query.search ?? null, ...values],
    );
    return toPage({ limit }, rows, {
      id: ({ id }) => id,
      present: (row) => capturedMessage.toView(row, { object: 'captured' }),
    });
  }

  /** The exact bytes; null for login mail, and if the caller sees no such message. */
  async raw(visibility: Visibility, id: string): Promise<Buffer | null> {
    if (!isId('cap', id)) return null;
    const { condition, values } = visibleMessages(visibility, 2);
    const { rows } = await this.database.query<{ raw: Buffer }>(
      `SELECT c.raw FROM captured_messages c WHERE c.id = $1 AND NOT c.is_login_mail AND ${condition}`,
      [id, ...values],
    );
    return rows[0]?.raw ?? null;
  }

  /** Deletes all messages that the key sees; returns their number. */
  clear(visibility: Visibility): Promise<number> {
    const { condition, values } = visibleMessages(visibility, 1);
    return this.deleteAll(
      `DELETE FROM captured_messages WHERE account_id = $1 AND id IN (
         SELECT c.id FROM captured_messages c WHERE ${condition} LIMIT ${DELETED_AT_ONCE})`,
      values,
    );
  }

  /** Keeps none longer than RETENTION_CAPTURED and a day. */
  prune(now = databaseClock.date()): Promise<Expired> {
    const { RETENTION_CAPTURED } = this.config.settings;
    return this.partitions.expire('captured_messages', new Date(now.getTime() - RETENTION_CAPTURED));
  }

  overdueSince(now: Date): Promise<Date | null> {
    return this.partitions.overdueSince('captured_messages', this.config.settings.RETENTION_CAPTURED, now);
  }

  /** Keeps the newest 10,000 messages of each account. Any number of programs may run it at once; each deletes other rows. */
  async pruneBeyondLimit(): Promise<number> {
    let last: Promise<string | null> = Promise.resolve('');
    // One account after the other, whichever lane is free.
    const next = (): Promise<string | null> =>
      (last = last.then((account) => (account === null ? null : this.nextAccount(account))));
    const lane = async () => {
      let deleted = 0;
      for (let account = await next(); account !== null; account = await next())
        deleted += await this.pruneAccount(account);
      return deleted;
    };
    return inLanes(lane);
  }

  private async nextAccount(after: string): Promise<string | null> {
    return (await this.database.query<{ id: string }>(NEXT_ACCOUNT, [after])).rows.at(0)?.id ?? null;
  }

  private async pruneAccount(accountId: string): Promise<number> {
    const { rows } = await this.database.query<{ id: string }>(FIRST_BEYOND, [accountId]);
    return rows.length === 0 ? 0 : this.deleteAll(DELETE_UP_TO, [accountId, rows[0].id]);
  }

  /** Repeats a statement that deletes a batch, each in a transaction of its own. */
  private async deleteAll(deleteBatch: string, values: unknown[]): Promise<number> {
    for (let deleted = 0; ;) {
      const { rowCount } = await this.database.query(deleteBatch, values);
      deleted += rowCount;
      if (rowCount < DELETED_AT_ONCE) return deleted;
    }
  }

  /** The account is taken from the email, so that no caller can write into the inbox of another account. */
  private async insert(items: Capture[]): Promise<void[]> {
    const values: unknown[] = [];
    const rows = items.map((item) => {
      const n = values.length;
      values.push(newId('cap'), item.emailId, item.mailFrom, item.rcptTo, item.content.length, item.content);
      return `($${n + 1}::text, $${n + 2}::text, $${n + 3}::text, $${n + 4}::text[], $${n + 5}::int, $${n + 6}::bytea)`;
    });
    await this.database.query(
      `INSERT INTO captured_messages (id, account_id, email_id, is_login_mail, mail_from, rcpt_to, size, raw)
       SELECT v.id, e.account_id, v.email_id, e.is_login_mail, v.mail_from, v.rcpt_to, v.size, v.raw
       FROM (VALUES ${rows.join(', ')}) AS v(id, email_id, mail_from, rcpt_to, size, raw) JOIN emails e ON e.id = v.email_id`,
      values,
    );
    return items.map(() => undefined);
  }
}
