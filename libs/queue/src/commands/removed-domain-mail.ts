import { Injectable } from '@nestjs/common';
import { LocalNotifications, Log, Shutdown } from '#libs/kernel';
import { Database } from '#libs/persistence';

/** Messages examined by one statement. */
const PAGE = 1_000;
/**
 * A program may accept mail for as long as it caches the domain, and commit it a little later. Such mail is found by a
 * second round.
 */
const SECOND_ROUND_MS = 2_000;
/** Of messages that wait for their time or for another attempt; see `emails.state`. */
const WAITING_STATUSES = ['scheduled', 'queued', 'deferred'];

/** Makes the waiting mail of a removed domain due, so that the next claim fails it instead of one at its own time. */
@Injectable()
export class RemovedDomainMail {
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(
    private readonly database: Database,
    private readonly notifications: LocalNotifications,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.on('work', 'mail of removed domains', () => {
      for (const timer of this.timers) clearTimeout(timer);
    });
  }

  /** Call it after the removal was committed. Mail that is being delivered right now is not changed. */
  async makeDue(accountId: string, domainId: string): Promise<void> {
    await this.round(accountId, domainId);
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.round(accountId, domainId).catch((error: unknown) =>
        this.log.warn('mail of a removed domain waits for its own time', {
          domain: domainId,
          reason: (error as Error).message,
        }),
      );
    }, SECOND_ROUND_MS);
    this.timers.add(timer);
  }

  private async round(accountId: string, domainId: string): Promise<void> {
    let released = 0;
    for (const status of WAITING_STATUSES) {
      let after: string | null = null;
      do {
        const [page] = await this.page([accountId, domainId, `${status} `, `${status}!`, after]);
        released += page.released;
        after = page.seen === PAGE ? page.reached : null;
      } while (after !== null);
    }
    if (released > 0) this.notifications.notify('due-mail');
  }

  private async page(values: (string | null)[]) {
    const { rows } = await this.database.query<{ seen: number; reached: string | null; released: number }>({
      name: 'queue-removed-domain',
      text: MAKE_DUE,
      values,
    });
    return rows;
  }
}

/**
 * $1: the account, $2: the domain, $3 and $4: bounds of the state, $5: the last message of the previous page, as
 * `<state> <id>`. Recipients that another transaction is changing are skipped.
 */
const MAKE_DUE = `
  WITH page AS (
    SELECT id, state, domain_id FROM emails
     WHERE account_id = $1 AND state >= $3 AND state < $4
       AND ($5::text IS NULL OR (state, id) > (left($5, -36), right($5, 35)))
     ORDER BY state, id LIMIT ${PAGE}),
  waiting AS (
    SELECT r.email_id, r.ordinal FROM page JOIN recipients r ON r.email_id = page.id
     WHERE page.domain_id = $2 AND r.claimed_by IS NULL AND r.due_at > now()
       FOR UPDATE OF r SKIP LOCKED),
  released AS (
    UPDATE recipients r SET due_at = now(), is_due = true, wait_reason = NULL
      FROM waiting w WHERE r.email_id = w.email_id AND r.ordinal = w.ordinal
    RETURNING 1)
  SELECT (SELECT count(*)::int FROM page) AS seen,
         (SELECT state || ' ' || id FROM page ORDER BY state DESC, id DESC LIMIT 1) AS reached,
         (SELECT count(*)::int FROM released) AS released`;
