/** Tables of `libs/persistence` and `libs/bus`: workers, the outbox, and the event log on PostgreSQL. */
export const EVENTS = `
  CREATE TABLE workers (
    id text COLLATE "C" PRIMARY KEY,
    program text NOT NULL,
    data_dir text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    heartbeat_at timestamptz NOT NULL DEFAULT now()
  );

  -- One row per transaction; the elements with the same subscript are one event. The sequencer gives each event a row of
  -- its own in event_log.
  CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id text[] NOT NULL,
    key text[] NOT NULL,
    sequence integer[] NOT NULL,
    account_id text[] NOT NULL,
    domain_id text[] NOT NULL,
    type text[] NOT NULL,
    test boolean[] NOT NULL,
    created_at timestamptz[] NOT NULL,
    data json[] NOT NULL
  ) WITH (toast_tuple_target = 8160);
  -- Compressing rows that are read once and deleted costs more than it saves; most of them fit into one page.
  ALTER TABLE outbox
    ALTER event_id SET STORAGE EXTERNAL, ALTER key SET STORAGE EXTERNAL, ALTER sequence SET STORAGE EXTERNAL,
    ALTER account_id SET STORAGE EXTERNAL, ALTER domain_id SET STORAGE EXTERNAL, ALTER type SET STORAGE EXTERNAL,
    ALTER test SET STORAGE EXTERNAL, ALTER created_at SET STORAGE EXTERNAL, ALTER data SET STORAGE EXTERNAL;

  -- Positions are dense: 1, 2, 3, …
  CREATE TABLE event_log (
    position bigint PRIMARY KEY,
    event_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    sequence integer NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    domain_id text COLLATE "C",
    type text NOT NULL,
    test boolean NOT NULL,
    created_at timestamptz NOT NULL,
    data json NOT NULL
  );
  CREATE INDEX event_log_account ON event_log (account_id, position);
  CREATE INDEX event_log_key ON event_log (key, position);
  -- A reader names the last event it has seen by its id.
  CREATE INDEX event_log_event ON event_log (event_id);

  CREATE TABLE event_log_head (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    position bigint NOT NULL
  );
  INSERT INTO event_log_head (position) VALUES (0);

  CREATE TABLE consumer_positions (
    consumer text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
  );

  -- The batch that the statistics sink is about to insert: after a crash exactly this batch is repeated.
  CREATE TABLE sink_batches (
    source text COLLATE "C" PRIMARY KEY,
    first_position bigint NOT NULL,
    last_position bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );
`;
