import { Injectable } from '@nestjs/common';
import { LIMITS, lowestIdAt } from '#libs/contracts';
import { Config, databaseClock } from '#libs/kernel';
import { Database, Partitions, type Expired } from '#libs/persistence';

/** Emails per transaction. Short transactions hold their locks for a short time only. */
const BATCH = 1_000;

/**
 * Ids are in order of time, so no index on the creation time is needed. An email that is locked, by a late report for example,
 * is left to the next run.
 */
const DELETE_EMAILS = `
  WITH old AS MATERIALIZED (
         SELECT id, account_id, tags FROM emails WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED),
       r AS (DELETE FROM recipients WHERE email_id IN (SELECT id FROM old)),
       v AS (DELETE FROM recipient_visits WHERE email_id IN (SELECT id FROM old)),
       t AS (DELETE FROM email_tags t USING old, jsonb_each_text(old.tags) AS tag
              WHERE t.account_id = old.account_id AND t.key = tag.key AND t.value = tag.value AND t.email_id = old.id)
  DELETE FROM emails WHERE id IN (SELECT id FROM old) RETURNING id`;

/** From the oldest key, or from the last one of the batch before, so that dead rows are not read again. */
const DELETE_KEYS = `
  WITH old AS MATERIALIZED (
         SELECT ctid, created_at FROM idempotency_keys
          WHERE created_at >= $1 AND created_at < now() - make_interval(hours => $2)
          ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED),
       deleted AS (DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(SELECT ctid FROM old)) RETURNING 1)
  SELECT (SELECT count(*)::int FROM deleted) AS removed, (SELECT max(created_at)::text FROM old) AS last`;

/** The partial indexes on recipients, which contain unsettled recipients only, answer it. */
const OLDEST_UNSETTLED = `
  SELECT least(
    (SELECT min(email_id) FROM recipients WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due IS NULL),
    (SELECT min(email_id) FROM recipients WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due),
    (SELECT min(email_id) FROM recipients WHERE due_at IS NOT NULL AND claimed_by IS NULL AND NOT is_due),
    (SELECT min(email_id) FROM recipients WHERE claimed_by IS NOT NULL)) AS id`;

interface Pruned {
  contents: Expired;
  attempts: Expired;
  emails: number;
  idempotencyKeys: number;
}

/** The id of the oldest email with a recipient that is still to be delivered; null if there is none. */
export async function oldestUnsettledEmail(database: Database): Promise<string | null> {
  const { rows } = await database.query<{ id: string | null }>(OLDEST_UNSETTLED);
  return rows[0].id;
}

/**
 * Deletes expired data: contents, attempts, emails and idempotency keys. Nothing is deleted of the oldest unsettled email and
 * of those after it.
 */
@Injectable()
export class Retention {
  constructor(
    private readonly database: Database,
    private readonly partitions: Partitions,
    private readonly config: Config,
  ) {}

  /** Any number of processes may run this concurrently. */
  async prune(now = databaseClock.date()): Promise<Pruned> {
    const { RETENTION_ATTEMPTS, RETENTION_BODIES, RETENTION_MESSAGES } = this.config.settings;
    const before = (ms: number) => new Date(now.getTime() - ms);
    const unsettled = await oldestUnsettledEmail(this.database);
    const end = lowestIdAt('em', before(RETENTION_MESSAGES));
    await this.database.query('DELETE FROM search_segments WHERE last_id < $1', [end]);
    return {
      contents: await this.partitions.expire('email_contents', before(RETENTION_BODIES), unsettled),
      attempts: await this.partitions.expire('attempts', before(RETENTION_ATTEMPTS), unsettled),
      emails: await this.emails(unsettled !== null && unsettled < end ? unsettled : end),
      idempotencyKeys: await this.keys(),
    };
  }

  /**
   * Deletes in order of id. Each batch begins where the previous one ended, so that dead rows are not scanned again.
   */
  private async emails(end: string): Promise<number> {
    let removed = 0;
    for (let last = ''; ;) {
      const { rows } = await this.database.query<{ id: string }>(DELETE_EMAILS, [last, end, BATCH]);
      removed += rows.length;
      if (rows.length === 0) return removed;
      last = rows.reduce((highest, { id }) => (id > highest ? id : highest), last);
    }
  }

  private async keys(): Promise<number> {
    let removed = 0;
    for (let from = '-infinity'; ;) {
      const { rows } = await this.database.query<{ removed: number; last: string | null }>(DELETE_KEYS, [
        from,
        LIMITS.idempotencyHours,
        BATCH,
      ]);
      const [batch] = rows;
      removed += batch.removed;
      if (batch.removed < BATCH || batch.last === null) return removed;
      from = batch.last;
    }
  }
}
