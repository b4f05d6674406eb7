import { Injectable } from '@nestjs/common';
import { backoffMs, Config, LocalNotifications, Log, Shutdown, sleep, WakeSignal } from '#libs/kernel';
import { Database, Lease, Worker } from '#libs/persistence';

import { LOG_CHANNEL } from './log-listener.js';
import { BATCH_EVENTS, EVENT_COLUMNS } from './event-row.js';

/** A move ends with the outbox row that reaches so many events, or after so many rows. */
const MAX_EVENTS = 5_000;
const MAX_ROWS = 1_000;
const POLL_MS = 100;
/** In the standalone program every writer notifies the sequencer, so the poll is only a fallback. */
const STANDALONE_POLL_MS = 250;
/**
 * Delay after a notification, so that further commits share the move. It is longer during a burst: after a move of many
 * events, or one that was only a moment ago.
 */
const BATCH_DELAY_MS = 5;
const BURST_EVENTS = 10;
const BURST_PAUSE_MS = 100;
const BURST_DELAY_MS = 50;
/** Dead rows of the outbox lie where every move begins to read, and autovacuum runs only once a minute. */
const VACUUM_AFTER_ROWS = 20_000;
/** Moves at the stop, for the events of the last requests. */
const FINAL_MOVES = 20;
/** Time between two attempts to take the lease from another process. */
const STANDBY_MS = 500;
/** A session that hangs inside a move, or waits for one that does, must not keep the sequencer of another process waiting. */
const SESSION_TIMEOUTS = `SET idle_in_transaction_session_timeout = '10s'; SET lock_timeout = '10s'`;

/**
 * The lock on the lease lasts until the end of the move, so that nobody takes over in between; without events to move
 * there is no lock, and so nothing to write. A statement of its own: MOVE takes its snapshot after the commit of the
 * previous holder and sees its head.
 */
const MAY_MOVE = `
  SELECT set_config('postloft.may_move', coalesce((
           SELECT true FROM leases WHERE name = $1 AND owner = $2 AND fence = $3 AND EXISTS (SELECT FROM outbox) FOR UPDATE
         ), false)::text, true)`;

/** An account has one entry in `event_log_accounts` for so many consecutive events of a move. */
const ACCOUNT_EVENTS = 512;

const COLUMNS = EVENT_COLUMNS.split(', ');

/**
 * The order of a move is that of the outbox rows, and within a row that of its elements. Both have the events of one key in the
 * order of its sequence, which is assigned under the lock of that key's row, held until commit. A move takes a prefix of
 * the outbox by id, so it never contains event n + 1 of a key without n. Rows are addressed by `ctid`, because the plan
 * then does not depend on statistics, which are always wrong for a queue; rows are never updated, and deleted only here,
 * under the lease. The aggregates keep the order of their sorted subquery.
 */
const MOVE = `
  WITH candidates AS (
    SELECT ctid, sum(cardinality(sequence)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - cardinality(sequence) AS before
      FROM outbox WHERE current_setting('postloft.may_move')::boolean ORDER BY id LIMIT ${MAX_ROWS}
  ), deleted AS (
    DELETE FROM outbox WHERE ctid = ANY (ARRAY(SELECT ctid FROM candidates WHERE before < $1))
    RETURNING id, cardinality(sequence) AS events, ${EVENT_COLUMNS}
  ), counted AS (
    SELECT coalesce(sum(events), 0)::bigint AS moved, count(*)::int AS outbox_rows FROM deleted
  ), head AS (
    UPDATE event_log_head SET position = position + moved, moved_at = greatest(moved_at, clock_timestamp())
      FROM counted WHERE moved > 0
    RETURNING position - moved AS before, moved_at, moved, outbox_rows
  ), numbered AS (
    SELECT *, sum(events) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - events AS earlier FROM deleted ORDER BY id
  ), inserted AS (
    INSERT INTO event_log (first_position, count, moved_at, event_ids, ${EVENT_COLUMNS})
    SELECT head.before + min(earlier) + 1, sum(events), head.moved_at, event_id_range(min(ids.low), max(ids.high), '[]'),
           ${COLUMNS.map((name) => `array_concat(${name})`).join(', ')}
      FROM numbered CROSS JOIN head
           CROSS JOIN LATERAL (
             SELECT min(id COLLATE "C") AS low, max(id COLLATE "C") AS high FROM unnest(event_id) AS id) AS ids
     GROUP BY div(earlier, ${BATCH_EVENTS}), head.before, head.moved_at
    RETURNING first_position, count, moved_at, account_id, test
  ), accounts AS (
    INSERT INTO event_log_accounts (account_id, first_position, count, moved_at, has_test)
    SELECT event.account_id, min(first_position), max(first_position + count) - min(first_position), moved_at,
           bool_or(event.test)
      FROM inserted, unnest(inserted.account_id, inserted.test) AS event (account_id, test)
     GROUP BY first_position / ${ACCOUNT_EVENTS}, event.account_id, moved_at
  )
  SELECT moved::int, outbox_rows, pg_notify('${LOG_CHANNEL}', $2) FROM head`;

/** The result of a move; no row at all if the outbox was empty or another sequencer has the lease. */
interface Move {
  moved: number;
  outbox_rows: number;
}
const NOTHING: Move = { moved: 0, outbox_rows: 0 };

/**
 * Moves committed events from the outbox to `event_log`, with dense positions: 1, 2, 3, …
 * A move sees only committed events, and only one sequencer of the database moves at a time. A reader of
 * `position > last` therefore never misses an event that commits late, and an open transaction delays only its own events.
 */
@Injectable()
export class Sequencer {
  private readonly signal = new WakeSignal();
  private readonly pollMs: number;
  private session: Awaited<ReturnType<Database['session']>> | undefined;
  private readonly lease: Lease;
  private loop: Promise<void> | undefined;
  private readonly stopping = new AbortController();
  private failures = 0;
  /** `at`: the time of `performance.now()` of the last move that was not empty. */
  private lastMove = { moved: 0, ms: 0, at: -Infinity };
  private movedSinceVacuum = 0;

  constructor(
    private readonly database: Database,
    private readonly notifications: LocalNotifications,
    private readonly worker: Worker,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
    { program }: Config,
  ) {
    this.pollMs = program === 'standalone' ? STANDALONE_POLL_MS : POLL_MS;
    this.lease = new Lease(database, worker, 'sequencer');
  }

  /** Any number of processes may run a sequencer: one holds the lease, and the others stand by. */
  start(): void {
    if (this.loop) return;
    const unsubscribe = this.notifications.on('outbox', () => this.signal.notify());
    this.loop = this.run();
    // In `flush`, because the stage `work` still appends events.
    this.shutdown.on('flush', 'sequencer', async () => {
      unsubscribe();
      await this.stop();
    });
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      if (await this.tryMove()) continue;
      if (!this.lease.isHeld && this.failures === 0) {
        await sleep(STANDBY_MS, this.stopping.signal);
        continue;
      }
      const notified = await this.signal.wait(this.failures > 0 ? backoffMs(this.failures) : this.pollMs);
      if (notified && !this.stopped) await sleep(this.batchDelayMs());
    }
  }

  private batchDelayMs(): number {
    const { moved, ms, at } = this.lastMove;
    const isBurst = moved >= BURST_EVENTS || performance.now() - at < BURST_PAUSE_MS;
    // At least as long as the last move took, so that a slow database is not overloaded.
    return Math.min(Math.max(isBurst ? BURST_DELAY_MS : BATCH_DELAY_MS, ms), POLL_MS);
  }

  private async stop(): Promise<void> {
    this.stopping.abort();
    this.signal.notify();
    await this.loop;
    for (let i = 0; i < FINAL_MOVES && (await this.tryMove()); i++);
    this.close();
    await this.lease.release();
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /** One move; true if it had the largest size. A failure is logged and returns false. */
  private async tryMove(): Promise<boolean> {
    try {
      const isFull = await this.move();
      this.failures = 0;
      return isFull;
    } catch (error) {
      this.failures += 1;
      this.close();
      await this.lease.release();
      this.log.warn('sequencer: a move failed', { reason: (error as Error).message, failures: this.failures });
      return false;
    }
  }

  private async move(): Promise<boolean> {
    if (!this.lease.isHeld && !(await this.lease.take())) return false;
    const { client } = (this.session ??= await this.open());
    const { name, owner, fence } = this.lease.held();
    const began = performance.now();
    // Two statements, one round trip, one transaction.
    const results = (await client.query(
      `EXECUTE may_move('${name}', '${owner}', ${fence}); EXECUTE move_outbox(${MAX_EVENTS}, '${this.worker.id}')`,
    )) as unknown as { rows: Move[] }[];
    const { moved, outbox_rows: rows } = results[1].rows[0] ?? NOTHING;
    const now = performance.now();
    this.lastMove = { moved, ms: now - began, at: moved > 0 ? now : this.lastMove.at };
    if (moved > 0) {
      this.notifications.notify('log');
      await this.vacuum(moved);
    }
    return moved >= MAX_EVENTS || rows === MAX_ROWS;
  }

  private async vacuum(moved: number): Promise<void> {
    this.movedSinceVacuum += moved;
    if (this.movedSinceVacuum < VACUUM_AFTER_ROWS) return;
    this.movedSinceVacuum = 0;
    // Truncation would block writers.
    await this.session?.client.query('VACUUM (TRUNCATE false) outbox');
  }

  /** A connection of its own, so that the move is planned only once. */
  private async open(): Promise<NonNullable<Sequencer['session']>> {
    const session = await this.database.session();
    // Without a listener, an error between two moves would end the process.
    session.client.on('error', (error) => {
      if (this.session !== session) return;
      this.log.warn('sequencer: connection lost', { reason: error.message });
      this.close();
    });
    try {
      // Rows must be found through the primary key, whatever the statistics of the queue say. A plan with a disabled node
      // has a very high estimated cost: JIT compilation would take 60 ms per move, and without a forced generic plan
      // PostgreSQL would plan every move again, which takes a fifth of its time.
      await session.client.query(
        'SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan',
      );
      await session.client.query(SESSION_TIMEOUTS);
      await session.query(`PREPARE may_move (text, text, bigint) AS ${MAY_MOVE}`);
      await session.query(`PREPARE move_outbox (int, text) AS ${MOVE}`);
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
