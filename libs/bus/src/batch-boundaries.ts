import { Injectable } from '@nestjs/common';
import { Database } from '#libs/persistence';

export interface Boundaries {
  first: number;
  last: number;
}

/**
 * The bounds of the batch in progress of each source. A batch that overlaps the recorded one is rejected. Thus neither a
 * crash nor a consumer that does not know yet that it was replaced can split the same events into different batches, which
 * would make their deduplication tokens useless.
 */
@Injectable()
export class BatchBoundaries {
  constructor(private readonly database: Database) {}

  /** The last recorded batch. */
  async recorded(source: string): Promise<Boundaries | null> {
    const { rows } = await this.database.query<{ first: string; last: string }>({
      name: 'bus-boundaries-recorded',
      text: 'SELECT first_position AS first, last_position AS last FROM sink_batches WHERE source = $1',
      values: [source],
    });
    return rows.length === 0 ? null : { first: Number(rows[0].first), last: Number(rows[0].last) };
  }

  /** Records the next batch durably; false if it overlaps the recorded one or lies before it. */
  async record(source: string, { first, last }: Boundaries): Promise<boolean> {
    const { rowCount } = await this.database.query({
      name: 'bus-boundaries-record',
      text: `INSERT INTO sink_batches AS known (source, first_position, last_position) VALUES ($1, $2, $3)
             ON CONFLICT (source) DO UPDATE
               SET first_position = EXCLUDED.first_position, last_position = EXCLUDED.last_position, created_at = now()
             WHERE known.last_position < EXCLUDED.first_position`,
      values: [source, first, last],
    });
    return rowCount === 1;
  }

  /** Removes exactly this record, for a consumer whose position was set back by hand. */
  async remove(source: string, { first, last }: Boundaries): Promise<void> {
    await this.database.query(
      'DELETE FROM sink_batches WHERE source = $1 AND first_position = $2 AND last_position = $3',
      [source, first, last],
    );
  }
}
