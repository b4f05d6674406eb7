import { Injectable } from '@nestjs/common';
import { LIMITS, lowestIdAt, timeOfId } from '#libs/contracts';
import { Config, databaseClock } from '#libs/kernel';
import { Database, Partitions, type Expired } from '#libs/persistence';
import { inLanes } from './lanes.js';
import { isUnsettled, unsettledEmails } from './unsettled-emails.js';

/** Emails per transaction. Short transactions hold their locks for a short time only. */
const BATCH = 1_000;
/** Nothing is deleted earlier, however short its period is: a transaction may just be storing an email. */
const SHORTEST_MS = 3_600_000;

/**
 * Ids are in order of time, so no index on the creation time is needed. An email that is locked, by a late report or by another
 * deletion, is left to the next run.
 */
const DELETE_EMAILS = `
  WITH old AS MATERIALIZED (
         SELECT id, account_id, tags FROM emails WHERE id > $1 AND id < $2 AND NOT ${isUnsettled('emails.id')}
          ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED),
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

const OLDEST = `
  SELECT id FROM emails WHERE id < $1 AND NOT ${isUnsettled('emails.id')} ORDER BY id LIMIT 1`;

/** When the time of the oldest email that may be deleted was over; null: there is none. */
export async function emailsOverdueSince(database: Database, period: number, now: Date): Promise<Date | null> {
  const { rows } = await database.query<{ id: string }>(OLDEST, [lowestIdAt('em', latest(now, period))]);
  return rows.length === 0 ? null : new Date(timeOfId(rows[0].id).getTime() + Math.max(period, SHORTEST_MS));
}

interface Pruned {
  emails: number;
  idempotencyKeys: number;
}

/** Deletes expired data of emails. Nothing that an unsettled email needs is deleted; other emails do not wait for it. */
@Injectable()
export class Retention {
  constructor(
    private readonly database: Database,
    private readonly partitions: Partitions,
    private readonly config: Config,
  ) {}

  contents(now = databaseClock.date()): Promise<Expired> {
    const before = latest(now, this.config.settings.RETENTION_BODIES);
    return this.partitions.expire('email_contents', before, unsettledEmails(this.database));
  }

  attempts(now = databaseClock.date()): Promise<Expired> {
    const before = latest(now, this.config.settings.RETENTION_ATTEMPTS);
    return this.partitions.expire('attempts', before, unsettledEmails(this.database));
  }

  overdueSince(of: 'contents' | 'attempts' | 'messages', now: Date): Promise<Date | null> {
    const { RETENTION_ATTEMPTS, RETENTION_BODIES, RETENTION_MESSAGES } = this.config.settings;
    switch (of) {
      case 'contents':
        return this.partitions.overdueSince('email_contents', Math.max(RETENTION_BODIES, SHORTEST_MS), now);
      case 'attempts':
        return this.partitions.overdueSince('attempts', Math.max(RETENTION_ATTEMPTS, SHORTEST_MS), now);
      case 'messages':
        return emailsOverdueSince(this.database, RETENTION_MESSAGES, now);
    }
  }

  /** Any number of processes may run this at once; each deletes other rows. */
  async prune(now = databaseClock.date()): Promise<Pruned> {
    const end = lowestIdAt('em', latest(now, this.config.settings.RETENTION_MESSAGES));
    await this.database.query('DELETE FROM search_segments WHERE last_id < $1', [end]);
    const emails = await inLanes(() => this.emails(end));
    return { emails, idempotencyKeys: await this.keys() };
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

const latest = (now: Date, period: number): Date => new Date(now.getTime() - Math.max(period, SHORTEST_MS));
