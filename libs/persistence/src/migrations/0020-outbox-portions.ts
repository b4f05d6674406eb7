import { TableMigration } from './table-migration.js';

const COLUMNS = 'event_id, key, sequence, account_id, domain_id, type, test, created_at, data';

/**
 * The outbox holds a portion per transaction instead of a row per event: the sequencer gives each event its row in the
 * log anyway. `outbox` stays as what a person reads.
 */
export class OutboxPortions0020 extends TableMigration {
  readonly name = 'OutboxPortions1700000000020';

  protected readonly forward = [
    // Compressing what is read once and deleted costs more than it saves; most portions fit beside their row.
    `CREATE TABLE outbox_portions (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       event_id text[] STORAGE EXTERNAL NOT NULL,
       key text[] STORAGE EXTERNAL NOT NULL,
       sequence integer[] STORAGE EXTERNAL NOT NULL,
       account_id text[] STORAGE EXTERNAL NOT NULL,
       domain_id text[] STORAGE EXTERNAL NOT NULL,
       type text[] STORAGE EXTERNAL NOT NULL,
       test boolean[] STORAGE EXTERNAL NOT NULL,
       created_at timestamptz[] STORAGE EXTERNAL NOT NULL,
       data json[] STORAGE EXTERNAL NOT NULL) WITH (toast_tuple_target = 8160)`,
    `INSERT INTO outbox_portions (${COLUMNS})
     SELECT ARRAY[event_id], ARRAY[key], ARRAY[sequence], ARRAY[account_id], ARRAY[domain_id], ARRAY[type], ARRAY[test],
            ARRAY[created_at], ARRAY[data]
       FROM outbox ORDER BY id`,
    'DROP TABLE outbox',
    `CREATE VIEW outbox AS
     SELECT p.id, e.*
       FROM outbox_portions p, unnest(p.event_id, p.key, p.sequence, p.account_id, p.domain_id, p.type, p.test,
                                      p.created_at, p.data) AS e (${COLUMNS})`,
  ];

  protected readonly back = [
    'ALTER VIEW outbox RENAME TO outbox_events',
    `CREATE TABLE outbox (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       event_id text COLLATE "C" NOT NULL,
       key text COLLATE "C" NOT NULL,
       sequence integer NOT NULL,
       account_id text COLLATE "C" NOT NULL,
       domain_id text COLLATE "C",
       type text NOT NULL,
       test boolean NOT NULL,
       created_at timestamptz NOT NULL,
       data json NOT NULL)`,
    `INSERT INTO outbox (${COLUMNS}) SELECT ${COLUMNS} FROM outbox_events ORDER BY id, key, sequence`,
    'DROP VIEW outbox_events',
    'DROP TABLE outbox_portions',
  ];
}
