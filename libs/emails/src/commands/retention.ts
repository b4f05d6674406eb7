import { Injectable } from '@nestjs/common';
import { LIMITS, lowestIdAt } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { databaseClock } from '#libs/kernel';

const CONTENT_DAYS = 30;
const METADATA_DAYS = 90;
const DAY_MS = 86_400_000;
/** Emails per transaction. Short transactions hold their locks for a short time only. */
const BATCH = 1_000;

/** Ids are in order of time, so no index on the creation time is needed. */
const DELETE_CONTENTS = `
  DELETE FROM email_contents WHERE email_id IN (
    SELECT email_id FROM email_contents WHERE email_id > $1 AND email_id < $2 ORDER BY email_id LIMIT $3)
  RETURNING email_id AS id`;

const DELETE_EMAILS = `
  WITH old AS MATERIALIZED (SELECT id, account_id, tags FROM emails WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3),
       r AS (DELETE FROM recipients WHERE email_id IN (SELECT id FROM old)),
       a AS (DELETE FROM attempts WHERE email_id IN (SELECT id FROM old)),
       c AS (DELETE FROM email_contents WHERE email_id IN (SELECT id FROM old)),
       v AS (DELETE FROM recipient_visits WHERE email_id IN (SELECT id FROM old)),
       t AS (DELETE FROM email_tags t USING old, jsonb_each_text(old.tags) AS tag
              WHERE t.account_id = old.account_id AND t.key = tag.key AND t.value = tag.value AND t.email_id = old.id)
  DELETE FROM emails WHERE id IN (SELECT id FROM old) RETURNING id`;

const DELETE_KEYS = `
  DELETE FROM idempotency_keys WHERE ctid IN (
    SELECT ctid FROM idempotency_keys WHERE created_at < now() - make_interval(hours => $1) LIMIT $2
      FOR UPDATE SKIP LOCKED)`;

interface Pruned {
  contents: number;
  emails: number;
  idempotencyKeys: number;
}

/** Deletes expired data: message contents after 30 days, emails after 90 days, idempotency keys after 24 hours. */
@Injectable()
export class Retention {
  constructor(private readonly database: Database) {}

  /** Any number of processes may run this concurrently. Returns the number of deleted rows per kind. */
  async prune(now = databaseClock.date()): Promise<Pruned> {
    const before = (days: number) => lowestIdAt('em', new Date(now.getTime() - days * DAY_MS));
    return {
      contents: await this.byId(DELETE_CONTENTS, before(CONTENT_DAYS)),
      emails: await this.byId(DELETE_EMAILS, before(METADATA_DAYS)),
      idempotencyKeys: await this.keys(),
    };
  }

  /**
   * Deletes in order of id. Each batch begins where the previous one ended, so that dead rows are not scanned again.
   */
  private async byId(statement: string, end: string): Promise<number> {
    let removed = 0;
    for (let last = ''; ;) {
      const { rows } = await this.database.query<{ id: string }>(statement, [last, end, BATCH]);
      removed += rows.length;
      if (rows.length === 0) return removed;
      last = rows.reduce((highest, { id }) => (id > highest ? id : highest), last);
    }
  }

  private async keys(): Promise<number> {
    let removed = 0;
    for (;;) {
      const { rowCount } = await this.database.query(DELETE_KEYS, [LIMITS.idempotencyHours, BATCH]);
      removed += rowCount;
      if (rowCount < BATCH) return removed;
    }
  }
}
