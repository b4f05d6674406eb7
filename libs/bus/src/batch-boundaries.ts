import { Injectable } from '@nestjs/common';
import { Database } from '#libs/persistence';

export interface Boundaries {
  first: number;
  last: number;
}

/**
 * Where the batch in progress of each source begins and ends. The row is the only truth about it: whoever wants to begin
 * a batch that overlaps the recorded one is refused. So neither a crash nor a consumer that does not know yet that it was
 * replaced can cut the same events into different batches, which would make their deduplication tokens worthless.
 */
@Injectable()
export class BatchBoundaries {
  constructor(private readonly database: Database) {}

  /** The batch that was begun last, if any. */
  async recorded(source: string): Promise<Boundaries | null> {
    const { rows } = await this.database.query<{ first: string; last: string }>({
      name: 'bus-boundaries-recorded',
      text: 'SELECT first_position AS first, last_position AS last FROM sink_batches WHERE source = $1',
      values: [source],
    });
    return rows.length === 0 ? null : { first: Number(rows[0].first), last: Number(rows[0].last) };
  }

  /** Writes the next batch down; false when the recorded one does not lie wholly before it. On disk when it returns. */
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

  /** Drops exactly this record: the position was set back by hand to before it, so it says nothing any more. */
  async forget(source: string, { first, last }: Boundaries): Promise<void> {
    await this.database.query(
      'DELETE FROM sink_batches WHERE source = $1 AND first_position = $2 AND last_position = $3',
      [source, first, last],
    );
  }
}
