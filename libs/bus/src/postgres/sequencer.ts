import { Injectable } from '@nestjs/common';
import { Config, Log, Shutdown, Wakeups } from '#libs/kernel';
import { Database, Worker } from '#libs/persistence';
import { backOff } from '../back-off.js';
import { Bell } from '../bell.js';
import { LOG_CHANNEL } from './log-listener.js';
import { EVENT_COLUMNS } from './logged-event-row.js';
import { RecentEvents } from './recent-events.js';

/** A move ends with the portion that brings it to so many events, or with so many portions. */
const MOST_EVENTS = 5_000;
const MOST_PORTIONS = 1_000;
const POLL_MS = 100;
/** Where every program is one process, whatever concerns a mail has rung. */
const STANDALONE_POLL_MS = 250;
/**
 * After a ring: what commits in the next moment goes into the same move. A lone event is not kept waiting; a crowd is, and
 * so is what follows closely upon the last move.
 */
const GATHER_MS = 5;
const CROWD_ROWS = 10;
const CROWD_MS = 100;
const CROWD_GATHER_MS = 50;
/** The outbox is a queue: its dead rows lie where every move begins to read, and autovacuum comes once a minute. */
const VACUUM_AFTER_ROWS = 20_000;
const LAST_MOVES = 20;
const SEQUENCER_LOCK = 7_305_119_002;

/**
 * Order of a move: (key, sequence). What is picked is a prefix by portion id, and the portions of one key are in the order
 * of its sequence (taken under that key's row lock, held until commit), so a move never holds event n + 1 of a key
 * without n. By `ctid`, because the plan then does not depend on statistics that a queue always makes wrong; portions are
 * never updated and only deleted here, under the lock.
 */
const MOVE = `
  WITH waiting AS (
    SELECT ctid, sum(cardinality(sequence)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - cardinality(sequence) AS before
      FROM outbox_portions WHERE current_setting('postloft.may_move')::boolean ORDER BY id LIMIT ${MOST_PORTIONS}
  ), gone AS (
    DELETE FROM outbox_portions WHERE ctid = ANY (ARRAY(SELECT ctid FROM waiting WHERE before < $1))
    RETURNING ${EVENT_COLUMNS}
  ), picked AS MATERIALIZED (
    SELECT event.*
      FROM gone, unnest(${EVENT_COLUMNS}) AS event (${EVENT_COLUMNS})
  ), counted AS (
    SELECT count(*) AS moved FROM picked
  ), head AS (
    UPDATE event_log_head SET position = position + moved FROM counted WHERE moved > 0
    RETURNING position - moved AS before, moved
  ), logged AS (
    INSERT INTO event_log (position, ${EVENT_COLUMNS})
    SELECT before + row_number() OVER (ORDER BY key COLLATE "C", sequence), ${EVENT_COLUMNS} FROM picked CROSS JOIN head
    RETURNING position, event_id
  )
  SELECT moved::int, before, (SELECT count(*)::int FROM gone) AS portions, pg_notify('${LOG_CHANNEL}', $2),
         CASE WHEN $3 THEN (SELECT string_agg(event_id, ',' ORDER BY position) FROM logged) END AS ids
    FROM head`;

/** What a move answers; no row at all when it found nothing to move. */
interface Move {
  moved: number;
  portions: number;
  /** Position of the event before the first one, a bigint as text. */
  before: string;
  /** In log order, joined by commas; null where nobody asked. */
  ids: string | null;
}
const NOTHING: Move = { moved: 0, portions: 0, before: '0', ids: null };

/**
 * Gives committed events their place. Moves them from the portions of the outbox to rows of `event_log`, where positions are dense: 1, 2, 3, …
 * Only what is committed is seen and only one sequencer of the database moves at a time, so a reader of
 * `position > mine` never misses an event that commits late, and an open transaction delays only its own events.
 */
@Injectable()
export class Sequencer {
  private readonly bell = new Bell();
  private readonly pollMs: number;
  private session: Awaited<ReturnType<Database['session']>> | undefined;
  private loop: Promise<void> | undefined;
  private stopped = false;
  private failures = 0;
  /** `at` of `performance.now()`: when something was moved. */
  private lastMove = { moved: 0, ms: 0, at: -Infinity };
  private movedSinceVacuum = 0;

  constructor(
    private readonly database: Database,
    private readonly wakeups: Wakeups,
    private readonly worker: Worker,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
    private readonly recent: RecentEvents,
    { program }: Config,
  ) {
    this.pollMs = program === 'standalone' ? STANDALONE_POLL_MS : POLL_MS;
  }

  /** Any number of processes may run one; they take turns. */
  start(): void {
    if (this.loop) return;
    const deafen = this.wakeups.on('outbox', () => this.bell.ring());
    this.loop = this.run();
    // In `flush`, because what finishes in `work` still appends.
    this.shutdown.on('flush', 'sequencer', async () => {
      deafen();
      await this.stop();
    });
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      if (await this.attempt()) continue;
      const rung = await this.bell.wait(this.failures > 0 ? backOff(this.failures) : this.pollMs);
      if (rung && !this.stopped) await new Promise((resolve) => setTimeout(resolve, this.gatherMs()));
    }
  }

  private gatherMs(): number {
    const { moved, ms, at } = this.lastMove;
    const isCrowd = moved >= CROWD_ROWS || performance.now() - at < CROWD_MS;
    // As long again as the last move took: a slow database is not asked more often than it can answer.
    return Math.min(Math.max(isCrowd ? CROWD_GATHER_MS : GATHER_MS, ms), POLL_MS);
  }

  private async stop(): Promise<void> {
    this.stopped = true;
    this.bell.ring();
    await this.loop;
    for (let i = 0; i < LAST_MOVES && (await this.attempt()); i++);
    this.close();
  }

  /** One move; true when it was as large as a move may be. A failure is logged and counts as nothing moved. */
  private async attempt(): Promise<boolean> {
    try {
      const isFull = await this.move();
      this.failures = 0;
      return isFull;
    } catch (error) {
      this.failures += 1;
      this.close();
      this.log.warn('sequencer: move failed', { reason: (error as Error).message, failures: this.failures });
      return false;
    }
  }

  private async move(): Promise<boolean> {
    const { client } = (this.session ??= await this.open());
    const began = performance.now();
    // Two statements, one round trip, one transaction. The lock must come in a statement of its own: the second one
    // then takes its snapshot after the previous holder's commit and sees that holder's head.
    const results = (await client.query(
      `SELECT set_config('postloft.may_move', pg_try_advisory_xact_lock(${SEQUENCER_LOCK})::text, true);
       EXECUTE move_outbox(${MOST_EVENTS}, '${this.worker.id}', ${this.recent.isWanted})`,
    )) as unknown as { rows: Move[] }[];
    const { moved, portions, before, ids } = results[1].rows[0] ?? NOTHING;
    if (ids !== null) this.recent.logged(Number(before) + 1, ids.split(','));
    const now = performance.now();
    this.lastMove = { moved, ms: now - began, at: moved > 0 ? now : this.lastMove.at };
    if (moved > 0) {
      this.wakeups.ring('log');
      await this.vacuum(moved);
    }
    return moved >= MOST_EVENTS || portions === MOST_PORTIONS;
  }

  private async vacuum(moved: number): Promise<void> {
    this.movedSinceVacuum += moved;
    if (this.movedSinceVacuum < VACUUM_AFTER_ROWS) return;
    this.movedSinceVacuum = 0;
    // Without truncation, which would lock writers out.
    await this.session?.client.query('VACUUM (TRUNCATE false) outbox_portions');
  }

  /** A connection of its own, so that the move is planned once. */
  private async open(): Promise<NonNullable<Sequencer['session']>> {
    const session = await this.database.session();
    // Without a listener, a connection that breaks between two moves would end the process.
    session.client.on('error', (error) => {
      if (this.session !== session) return;
      this.log.warn('sequencer: connection lost', { reason: error.message });
      this.close();
    });
    try {
      // The rows are found through the primary key, whatever the statistics of a queue say. A plan with a forbidden
      // node counts as very expensive: compiling it (jit) would cost 60 ms a move, and PostgreSQL would plan each move
      // anew in the hope of a cheaper one, a fifth of a move's time.
      await session.client.query(
        'SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan',
      );
      await session.query(`PREPARE move_outbox (int, text, boolean) AS ${MOVE}`);
      return session;
    } catch (error) {
      session.release();
      throw error;
    }
  }

  private close(): void {
    this.session?.release();
    this.session = undefined;
  }
}
