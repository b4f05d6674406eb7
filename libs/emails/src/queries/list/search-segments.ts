import { Injectable } from '@nestjs/common';
import { lowestIdAt } from '#libs/contracts';
import { databaseClock, Log, Poller, Shutdown } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { trigramBitmap } from './trigrams.js';

/** What a search reads of row `e` of `emails`, in lower case: subject, addresses with their names, values of tags. */
export const SEARCH_TEXT = `lower(concat_ws(E'\\n', e.subject, e.sender, array_to_string(e.header_to, E'\\n'),
  array_to_string(e.header_cc, E'\\n'), array_to_string(e.header_bcc, E'\\n'),
  CASE WHEN e.tags <> '{}' THEN (SELECT string_agg(tag.value, E'\\n') FROM jsonb_each_text(e.tags) AS tag) END))`;

/** Emails of a segment, and those that a search reads without one at a time. */
export const SEGMENT_EMAILS = 1_000;
/** An email is committed within this time after its id was made. */
const SETTLED_MS = 5 * 60_000;
const IDLE_MS = 3_600_000;

const NEXT_EMAILS = `
  SELECT e.id, ${SEARCH_TEXT} AS text FROM emails e
   WHERE e.account_id = $1 AND e.id < $2
     AND e.id > coalesce((SELECT max(last_id) FROM search_segments WHERE account_id = $1), '')
   ORDER BY e.account_id, e.id LIMIT ${SEGMENT_EMAILS}`;

/** Segments follow each other without a gap: building one and removing some exclude each other until the end of the transaction. */
const lockSegments = (tx: Queryable, accountId: string) =>
  tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`search segments ${accountId}`]);

/** Removes the segment of a changed email and those after it, in the transaction of the change; a search builds them again. */
export async function dropSegmentsFrom(tx: Queryable, accountId: string, emailId: string): Promise<void> {
  await lockSegments(tx, accountId);
  await tx.query('DELETE FROM search_segments WHERE account_id = $1 AND last_id >= $2', [accountId, emailId]);
}

/**
 * Builds the segments of accounts that search. It costs an accept nothing, in contrast to an index of words or trigrams, and
 * 4 bytes per email. See docs/decisions/047-search.md.
 */
@Injectable()
export class SearchSegments {
  private readonly waiting = new Set<string>();
  private readonly poller: Poller;

  constructor(
    private readonly database: Database,
    shutdown: Shutdown,
    log: Log,
  ) {
    this.poller = new Poller({ name: 'search segments', pollMs: IDLE_MS, round: () => this.round() }, log);
    shutdown.on('work', 'search segments', () => this.poller.stop());
  }

  /** Builds the missing segments of an account in the background. */
  request(accountId: string): void {
    this.waiting.add(accountId);
    this.poller.start();
    this.poller.wake();
  }

  /** Builds one segment; false if too few emails are left for one. */
  buildNext(accountId: string): Promise<boolean> {
    const end = lowestIdAt('em', new Date(databaseClock.now() - SETTLED_MS));
    return this.database.transaction(async (tx) => {
      await lockSegments(tx, accountId);
      const { rows } = await tx.query<{ id: string; text: string }>(NEXT_EMAILS, [accountId, end]);
      if (rows.length < SEGMENT_EMAILS) return false;
      await tx.query('INSERT INTO search_segments (account_id, last_id, first_id, trigrams) VALUES ($1, $2, $3, $4)', [
        accountId,
        rows[rows.length - 1].id,
        rows[0].id,
        trigramBitmap(rows.map(({ text }) => text)),
      ]);
      return true;
    });
  }

  /** One segment of one account, so that accounts take turns. */
  private async round(): Promise<boolean> {
    for (const accountId of this.waiting) {
      if (!(await this.buildNext(accountId))) this.waiting.delete(accountId);
    }
    return this.waiting.size > 0;
  }
}
