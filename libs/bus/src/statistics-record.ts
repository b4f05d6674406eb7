import { Injectable } from '@nestjs/common';
import { Database } from '#libs/persistence';

/** The totals of a day (`YYYY-MM-DD` in UTC) in the statistics store, found or recorded. */
export interface RecordedDay {
  stored: number;
  counted: number;
  grouped: number;
}

export interface LackingTable {
  table: string;
  found: number;
  expected: number;
}

export interface IncompleteDay {
  day: string;
  lacking: LackingTable[];
  since: Date;
}

const UPSERT = `
  INSERT INTO statistics_days AS known (day, stored, counted, grouped, incomplete, incomplete_since)
  SELECT day, stored, counted, grouped, incomplete, CASE WHEN incomplete IS NOT NULL THEN now() END
    FROM jsonb_to_recordset($1::jsonb) AS given (day date, stored bigint, counted bigint, grouped bigint, incomplete jsonb)
  ON CONFLICT (day) DO UPDATE SET`;
const DAYS_PER_STATEMENT = 500;

/**
 * The recorded contents of the statistics store, by which it is verified. In PostgreSQL, because the store may lose anything;
 * and the days whose events are incomplete, for readers of statistics.
 */
@Injectable()
export class StatisticsRecord {
  constructor(private readonly database: Database) {}

  async days(): Promise<Map<string, RecordedDay>> {
    const { rows } = await this.database.query<{ day: string } & RecordedDay>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, stored::float, counted::float, grouped::float FROM statistics_days`,
    );
    return new Map(rows.map(({ day, ...totals }) => [day, totals]));
  }

  /** Of the last writing; null if there was none. */
  async parts(): Promise<unknown> {
    const { rows } = await this.database.query<{ parts: unknown }>('SELECT parts FROM statistics_parts');
    return rows.at(0)?.parts ?? null;
  }

  async writeParts(parts: object): Promise<void> {
    await this.database.query(
      `INSERT INTO statistics_parts (parts) VALUES ($1)
       ON CONFLICT (is_only_row) DO UPDATE SET parts = excluded.parts, written_at = now()`,
      [JSON.stringify(parts)],
    );
  }

  /** Raises the totals of days: a day gets more events, and never fewer. */
  async raise(days: ReadonlyMap<string, RecordedDay>): Promise<void> {
    await this.upsert(
      [...days].map(([day, totals]) => ({ day, ...totals, incomplete: null })),
      `stored = greatest(known.stored, excluded.stored), counted = greatest(known.counted, excluded.counted),
       grouped = greatest(known.grouped, excluded.grouped)`,
    );
  }

  /** Sets the totals of verified days, and what they lack. */
  async set(days: ReadonlyMap<string, { totals: RecordedDay; lacking: readonly LackingTable[] }>): Promise<void> {
    await this.upsert(
      [...days].map(([day, { totals, lacking }]) => ({
        ...{ day, stored: totals.stored, counted: totals.counted, grouped: totals.grouped },
        incomplete: lacking.length === 0 ? null : lacking,
      })),
      `stored = excluded.stored, counted = excluded.counted, grouped = excluded.grouped, incomplete = excluded.incomplete,
       incomplete_since = CASE WHEN excluded.incomplete IS NOT NULL THEN coalesce(known.incomplete_since, now()) END`,
    );
  }

  /** Forgets what is known of the days from one on, which are about to be rebuilt. */
  async forget(from: string | null): Promise<void> {
    await this.database.query('DELETE FROM statistics_days WHERE $1::date IS NULL OR day >= $1::date', [from]);
    await this.database.query('DELETE FROM statistics_parts');
  }

  /** Ascending. */
  async incompleteDays(): Promise<IncompleteDay[]> {
    const { rows } = await this.database.query<IncompleteDay>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, incomplete AS lacking, incomplete_since AS since
         FROM statistics_days WHERE incomplete IS NOT NULL ORDER BY statistics_days.day`,
    );
    return rows;
  }

  private async upsert(days: readonly object[], changes: string): Promise<void> {
    for (let from = 0; from < days.length; from += DAYS_PER_STATEMENT)
      await this.database.query(`${UPSERT} ${changes}`, [JSON.stringify(days.slice(from, from + DAYS_PER_STATEMENT))]);
  }
}
