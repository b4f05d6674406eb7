import type { Database } from './connection/database.js';

/** Of a sample, in milliseconds: what has grown in less time says little. */
const LEAST_MS = 3_600_000;
const DAY_MS = 86_400_000;

const RECORD = `
  INSERT INTO size_samples (at, bytes)
  SELECT now(), $1 WHERE NOT EXISTS (SELECT FROM size_samples WHERE at > now() - interval '55 minutes')
  ON CONFLICT DO NOTHING`;
/** The first sample of the last week. */
const FIRST = `
  SELECT at, bytes::float8 AS bytes FROM size_samples WHERE at > now() - interval '7 days' ORDER BY at LIMIT 1`;
const PRUNE = `DELETE FROM size_samples WHERE at < now() - interval '30 days'`;

/** How the space that the service occupies has grown. */
export class SizeSamples {
  constructor(private readonly database: Database) {}

  /** Adds a sample, at most one an hour. */
  async record(bytes: number): Promise<void> {
    const { rowCount } = await this.database.query(RECORD, [Math.round(bytes)]);
    if (rowCount === 1) await this.database.query(PRUNE);
  }

  /** Bytes per day since the first sample of the last week; null if that is less than an hour old. */
  async growthPerDay(bytes: number): Promise<number | null> {
    const { rows } = await this.database.query<{ at: Date; bytes: number }>(FIRST);
    const first = rows.at(0);
    const elapsed = first === undefined ? 0 : Date.now() - first.at.getTime();
    return first === undefined || elapsed < LEAST_MS ? null : ((bytes - first.bytes) * DAY_MS) / elapsed;
  }
}
