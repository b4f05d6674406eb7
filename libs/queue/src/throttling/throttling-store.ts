import type { ThrottlingState, WarmUpDay } from '#libs/mta';
import type { Database } from '#libs/persistence';

interface StateRow {
  queue: string;
  source: string;
  kind: ThrottlingState['kind'];
  factor: number;
  until: Date;
  decided_at: Date;
  words: string | null;
  mx: string | null;
  rule: string;
  block_list: string | null;
}

const COLUMNS = 'queue, source, kind, factor, until, decided_at, words, mx, rule, block_list';
/** Rows committed late must not be missed: each read overlaps the previous one. */
const OVERLAP = `interval '5 seconds'`;
/** A slow-down recovers in steps after its end. */
const RECOVERY = `interval '10 minutes'`;

/** Short locks, and room for others between two statements. */
const RELEASED_AT_ONCE = 1_000;

/** The tables `throttling_states` and `warmup_counts`. */
export class ThrottlingStore {
  constructor(private readonly database: Database) {}

  /** Of two decisions about the same, the later one stands. */
  async write(states: readonly ThrottlingState[]): Promise<void> {
    const rows = states.map((state) => ({
      ...state,
      source: state.source ?? '',
      until: new Date(state.until),
      decided_at: new Date(state.at),
      block_list: state.blockList,
    }));
    await this.database.query({
      name: 'shaping-write',
      text: `INSERT INTO throttling_states (${COLUMNS}, changed_at)
             SELECT ${COLUMNS}, clock_timestamp() FROM json_to_recordset($1::json) AS v(queue text, source text, kind text,
               factor double precision, until timestamptz, decided_at timestamptz, words text, mx text, rule text, block_list text)
             ORDER BY queue, source, kind
             ON CONFLICT (queue, source, kind) DO UPDATE SET factor = excluded.factor, until = excluded.until,
               decided_at = excluded.decided_at, words = excluded.words, mx = excluded.mx, rule = excluded.rule, block_list = excluded.block_list, changed_at = excluded.changed_at
             WHERE throttling_states.decided_at < excluded.decided_at`,
      values: [JSON.stringify(rows)],
    });
  }

  /** What changed since the look that returned `since`; at first, all that still counts. */
  async changedSince(since: Date | null): Promise<{ states: ThrottlingState[]; until: Date }> {
    const { rows } = await this.database.query<StateRow & { now: Date }>({
      name: 'shaping-read',
      text: `SELECT now.now, ${COLUMNS} FROM (SELECT now() AS now) AS now LEFT JOIN throttling_states s
             ON s.changed_at > COALESCE($1::timestamptz - ${OVERLAP}, '-infinity')
             AND ($1::timestamptz IS NOT NULL OR s.until > now() - ${RECOVERY})`,
      values: [since],
    });
    return { states: rows.filter((row) => row.queue !== null).map(stateOf), until: rows[0].now };
  }

  /** What holds mail back now, by queue and source. */
  async active(limit: number): Promise<ThrottlingState[]> {
    const { rows } = await this.database.query<StateRow>(
      `SELECT ${COLUMNS} FROM throttling_states WHERE until > now() ORDER BY queue, source, kind LIMIT $1`,
      [limit],
    );
    return rows.map(stateOf);
  }

  /** Ends all that holds the queue back now; returns how many restraints that were. */
  async lift(queue: string): Promise<number> {
    const { rowCount } = await this.database.query(
      `UPDATE throttling_states SET until = clock_timestamp(), factor = 1, decided_at = clock_timestamp(), changed_at = clock_timestamp()
        WHERE queue = $1 AND until > now()`,
      [queue],
    );
    return rowCount;
  }

  /** What the queue holds back is due after `inMs`; returns how many recipients. */
  async release(queue: string, inMs: number): Promise<number> {
    let recipients = 0;
    for (;;) {
      const { rowCount } = await this.database.query(
        `UPDATE recipients r SET due_at = now() + make_interval(secs => $3::float / 1000), wait_reason = NULL
          FROM (SELECT email_id, ordinal FROM recipients WHERE wait_reason ->> 'queue' = $1 AND ${HELD}
                LIMIT $2 FOR UPDATE SKIP LOCKED) AS held
          WHERE r.email_id = held.email_id AND r.ordinal = held.ordinal`,
        [queue, RELEASED_AT_ONCE, inMs],
      );
      recipients += rowCount;
      if (rowCount < RELEASED_AT_ONCE) return recipients;
    }
  }

  /** Up to `wanted` recipients of the day; returns how many were left to take. */
  async takeWarmUp({ source, provider, day, allowance }: WarmUpDay, wanted: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      const key = [source, provider, day];
      await tx.query({
        name: 'warm-up-day',
        text: 'INSERT INTO warmup_counts (source, provider, day, sent) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING',
        values: key,
      });
      const { rows } = await tx.query<{ taken: number }>({
        name: 'warm-up-take',
        text: `UPDATE warmup_counts w SET sent = LEAST(old.sent + $4::int, GREATEST(old.sent, $5::int))
               FROM (SELECT sent FROM warmup_counts WHERE source = $1 AND provider = $2 AND day = $3 FOR UPDATE) AS old
               WHERE w.source = $1 AND w.provider = $2 AND w.day = $3 RETURNING w.sent - old.sent AS taken`,
        values: [...key, wanted, allowance],
      });
      return rows[0].taken;
    });
  }

  /** Removes what tells nobody anything any more. */
  async prune(): Promise<void> {
    await this.database.query(
      `DELETE FROM throttling_states WHERE changed_at < now() - interval '1 hour' AND until < now() - interval '1 hour'`,
    );
    await this.database.query(`DELETE FROM warmup_counts WHERE day < current_date - 60`);
  }
}

const stateOf = (row: StateRow): ThrottlingState => ({
  queue: row.queue,
  source: row.source === '' ? null : row.source,
  kind: row.kind,
  factor: row.factor,
  until: row.until.getTime(),
  at: row.decided_at.getTime(),
  words: row.words,
  mx: row.mx,
  rule: row.rule,
  blockList: row.block_list,
});

/**
 * SQL condition of a recipient that is held back by its queue. The index has the condition without its first part;
 * recipients in a final status wait for nothing.
 */
export const HELD = 'due_at IS NOT NULL AND wait_reason IS NOT NULL AND claimed_by IS NULL';
