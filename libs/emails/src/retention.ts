import { Injectable } from '@nestjs/common';
import { LIMITS, lowestIdAt } from '#libs/contracts';
import { Database } from '#libs/persistence';

const CONTENT_DAYS = 30;
const METADATA_DAYS = 90;
const FULL_MAILBOX_DAYS = 30;
const DAY_MS = 86_400_000;
/** Mails of one transaction: short locks, and room for others between two of them. */
const BATCH = 1_000;

/** Times come from the ids, which are in order of time: no index of its own is needed. */
const CONTENTS = `
  DELETE FROM email_contents WHERE email_id IN (
    SELECT email_id FROM email_contents WHERE email_id > $1 AND email_id < $2 ORDER BY email_id LIMIT $3)
  RETURNING email_id AS id`;

const MAILS = `
  WITH old AS MATERIALIZED (SELECT id, account_id, tags FROM emails WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3),
       r AS (DELETE FROM recipients WHERE email_id IN (SELECT id FROM old)),
       a AS (DELETE FROM attempts WHERE email_id IN (SELECT id FROM old)),
       c AS (DELETE FROM email_contents WHERE email_id IN (SELECT id FROM old)),
       t AS (DELETE FROM email_tags t USING old, jsonb_each_text(old.tags) AS tag
              WHERE t.account_id = old.account_id AND t.key = tag.key AND t.value = tag.value AND t.email_id = old.id)
  DELETE FROM emails WHERE id IN (SELECT id FROM old) RETURNING id`;

const KEYS = `
  DELETE FROM idempotency_keys WHERE ctid IN (
    SELECT ctid FROM idempotency_keys WHERE created_at < now() - make_interval(hours => $1) LIMIT $2
      FOR UPDATE SKIP LOCKED)`;

interface Pruned {
  contents: number;
  emails: number;
  idempotencyKeys: number;
  fullMailboxes: number;
}

/** Refusals of a full mailbox count for a new entry of the suppression list no longer than this. */
const FULL_MAILBOXES = `DELETE FROM full_mailboxes WHERE last_at < $1`;

/** What is removed when its time is over (D-30): bodies after 30 days, all else of a mail after 90, keys after 24 hours. */
@Injectable()
export class Retention {
  constructor(private readonly database: Database) {}

  /** Safe to run in any number of processes. Returns how many rows went of each. */
  async prune(now = new Date()): Promise<Pruned> {
    const before = (days: number) => lowestIdAt('em', new Date(now.getTime() - days * DAY_MS));
    return {
      contents: await this.byId(CONTENTS, before(CONTENT_DAYS)),
      emails: await this.byId(MAILS, before(METADATA_DAYS)),
      idempotencyKeys: await this.keys(),
      fullMailboxes: await this.fullMailboxes(new Date(now.getTime() - FULL_MAILBOX_DAYS * DAY_MS)),
    };
  }

  /** From the oldest on; each batch begins where the last one ended, not at the dead rows that it left. */
  private async byId(statement: string, end: string): Promise<number> {
    let removed = 0;
    for (let last = ''; ;) {
      const { rows } = await this.database.query<{ id: string }>(statement, [last, end, BATCH]);
      removed += rows.length;
      if (rows.length === 0) return removed;
      last = rows.reduce((highest, { id }) => (id > highest ? id : highest), last);
    }
  }

  private async fullMailboxes(before: Date): Promise<number> {
    return (await this.database.query(FULL_MAILBOXES, [before])).rowCount;
  }

  private async keys(): Promise<number> {
    let removed = 0;
    for (;;) {
      const { rowCount } = await this.database.query(KEYS, [LIMITS.idempotencyHours, BATCH]);
      removed += rowCount;
      if (rowCount < BATCH) return removed;
    }
  }
}
