import { TableMigration } from './table-migration.js';

/** What delivery processes tell each other about queues, and how much of a day's warm-up is used. */
export class Shaping0010 extends TableMigration {
  readonly name = 'Shaping1700000000010';

  protected readonly forward = [
    // source '': the system's choice of address.
    `CREATE TABLE shaping_states (
       queue text COLLATE "C" NOT NULL,
       source text COLLATE "C" NOT NULL,
       kind text NOT NULL,
       factor double precision NOT NULL,
       until timestamptz NOT NULL,
       decided_at timestamptz NOT NULL,
       words text,
       mx text,
       rule text NOT NULL,
       changed_at timestamptz NOT NULL,
       PRIMARY KEY (queue, source, kind))`,
    'CREATE INDEX shaping_states_changed ON shaping_states (changed_at)',
    `CREATE TABLE warmup_counts (
       source text COLLATE "C" NOT NULL,
       provider text COLLATE "C" NOT NULL,
       day date NOT NULL,
       sent integer NOT NULL,
       PRIMARY KEY (source, provider, day))`,
    'CREATE INDEX warmup_counts_day ON warmup_counts (day)',
    // What a queue holds back is due again at once when its suspension is lifted by hand.
    `CREATE INDEX recipients_held ON recipients ((wait ->> 'queue')) WHERE wait IS NOT NULL AND claimed_by IS NULL`,
  ];

  protected readonly back = ['DROP INDEX recipients_held', 'DROP TABLE warmup_counts', 'DROP TABLE shaping_states'];
}
