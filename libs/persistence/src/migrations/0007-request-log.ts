import { TableMigration } from './table-migration.js';

/** One line per authenticated API request; never a body, a key or an address. */
export class RequestLog0007 extends TableMigration {
  readonly name = 'RequestLog1700000000007';

  protected readonly forward = [
    `CREATE TABLE request_log (
       id text COLLATE "C" NOT NULL,
       account_id text COLLATE "C" NOT NULL,
       api_key_id text COLLATE "C" NOT NULL,
       request_id text COLLATE "C" NOT NULL,
       method text NOT NULL,
       path text NOT NULL,
       status smallint NOT NULL,
       error text,
       user_agent text,
       ip text,
       latency_ms integer NOT NULL,
       created_at timestamptz NOT NULL,
       PRIMARY KEY (account_id, id))`,
    // Refusals are few among many: without it a search for them would read every line of the account.
    `CREATE INDEX request_log_refused ON request_log (account_id, (status / 100), id) WHERE status >= 400`,
    // Lines come and go in the order of time: a few ranges say as much as an entry for each.
    `CREATE INDEX request_log_age ON request_log USING brin (created_at) WITH (pages_per_range = 16, autosummarize = on)`,
    // GET /events reads one account's part of the log in order of position.
    `CREATE INDEX event_log_account ON event_log (account_id, position)`,
    `CREATE INDEX event_log_key ON event_log (key, position)`,
    // An event is named by its id where a reader goes on after it.
    `CREATE INDEX event_log_event ON event_log (event_id)`,
  ];

  protected readonly back = [
    'DROP INDEX event_log_event',
    'DROP INDEX event_log_key',
    'DROP INDEX event_log_account',
    'DROP TABLE request_log',
  ];
}
