/** Tables of `libs/persistence` and `libs/bus`: workers, the outbox, and the event log on PostgreSQL. */
export const EVENTS = `
  CREATE TABLE workers (
    id text COLLATE "C" PRIMARY KEY,
    program text NOT NULL,
    data_dir text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    heartbeat_at timestamptz NOT NULL DEFAULT now()
  );

  -- One row per transaction; the elements with the same subscript are one event. The sequencer
  -- joins small rows to batches of event_log.
  CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id text[] NOT NULL,
    key text[] NOT NULL,
    sequence integer[] NOT NULL,
    account_id text[] NOT NULL,
    domain_id text[] NOT NULL,
    api_key_id text[] NOT NULL,
    type text[] NOT NULL,
    test boolean[] NOT NULL,
    created_at timestamptz[] NOT NULL,
    data json[] NOT NULL
  ) WITH (toast_tuple_target = 8160);
  -- Compressing rows that are read once and deleted costs more than it saves; most of them fit into one page.
  ALTER TABLE outbox
    ALTER event_id SET STORAGE EXTERNAL, ALTER key SET STORAGE EXTERNAL, ALTER sequence SET STORAGE EXTERNAL,
    ALTER account_id SET STORAGE EXTERNAL, ALTER domain_id SET STORAGE EXTERNAL, ALTER api_key_id SET STORAGE EXTERNAL, ALTER type SET STORAGE EXTERNAL,
    ALTER test SET STORAGE EXTERNAL, ALTER created_at SET STORAGE EXTERNAL, ALTER data SET STORAGE EXTERNAL;

  CREATE TYPE event_id_range AS RANGE (subtype = text, collation = "C");
  CREATE AGGREGATE array_concat (anycompatiblearray) (sfunc = array_cat, stype = anycompatiblearray);

  -- One row per batch of consecutive events; the elements with the same subscript are one event. The event with subscript i
  -- has the position first_position + i - 1. Positions are dense: 1, 2, 3, …
  -- moved_at never decreases from one position to the next. event_ids: the lowest and the highest event id of the batch.
  CREATE TABLE event_log (
    first_position bigint NOT NULL,
    count integer NOT NULL,
    moved_at timestamptz NOT NULL,
    event_ids event_id_range NOT NULL,
    event_id text[] COLLATE "C" NOT NULL,
    key text[] COLLATE "C" NOT NULL,
    sequence integer[] NOT NULL,
    account_id text[] COLLATE "C" NOT NULL,
    domain_id text[] COLLATE "C" NOT NULL,
    api_key_id text[] COLLATE "C" NOT NULL,
    type text[] NOT NULL,
    test boolean[] NOT NULL,
    created_at timestamptz[] NOT NULL,
    data json[] NOT NULL
  ) PARTITION BY RANGE (moved_at);
  -- Compressing the other columns gains little or, for data, costs more than all other work for an event.
  ALTER TABLE event_log
    ALTER event_id SET STORAGE EXTERNAL, ALTER sequence SET STORAGE EXTERNAL, ALTER created_at SET STORAGE EXTERNAL,
    ALTER data SET STORAGE EXTERNAL;
  -- A reader of the events after a position begins with the first batch that ends behind it.
  CREATE INDEX event_log_end ON event_log ((first_position + count));
  -- An index entry per batch instead of one per event: few batches overlap in the time of their ids.
  CREATE INDEX event_log_event_ids ON event_log USING gist (event_ids);
  CREATE INDEX event_log_key ON event_log USING gin (key) WITH (fastupdate = off);
  CREATE TABLE event_log_default PARTITION OF event_log DEFAULT;

  -- Where the events of an account are: the batches from first_position up to and without first_position + count, which
  -- were moved together, contain at least one. has_test: also one of a test message.
  CREATE TABLE event_log_accounts (
    account_id text COLLATE "C" NOT NULL,
    first_position bigint NOT NULL,
    count integer NOT NULL,
    moved_at timestamptz NOT NULL,
    has_test boolean NOT NULL
  ) PARTITION BY RANGE (moved_at);
  CREATE INDEX event_log_accounts_account ON event_log_accounts (account_id, moved_at, first_position);
  CREATE INDEX event_log_accounts_test ON event_log_accounts (account_id, moved_at, first_position) WHERE has_test;
  CREATE TABLE event_log_accounts_default PARTITION OF event_log_accounts DEFAULT;

  CREATE TABLE event_log_head (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    position bigint NOT NULL,
    moved_at timestamptz NOT NULL DEFAULT now()
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
