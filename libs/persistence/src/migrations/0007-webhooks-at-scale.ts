/** Tables of `libs/webhooks` for claims, windows, figures and replays, and the parked events of `libs/bus`. */
export const WEBHOOKS_AT_SCALE = {
  name: 'WebhooksAtScale1700000000007',
  statements: [
    // true once due_at has passed and until a claim or a new due_at; otherwise NULL, never false.
    'ALTER TABLE webhook_deliveries ADD is_due boolean',
    // Two indexes, by time until a delivery is due and by endpoint afterwards: a claim goes from endpoint to endpoint and
    // does not read those whose deliveries are not due.
    'DROP INDEX webhook_deliveries_due',
    `CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (due_at)
       WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due IS NULL`,
    `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at)
       WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due`,
    `-- Requests in flight that an endpoint may have. An endpoint without a row has the smallest window.
     CREATE TABLE webhook_windows (
       webhook_id text COLLATE "C" PRIMARY KEY,
       size smallint NOT NULL,
       -- The endpoint asked for a pause (Retry-After).
       paused_until timestamptz,
       -- Of the start of an attempt: failures of attempts that began earlier do not shrink the window again.
       shrunk_at timestamptz
     ) WITH (fillfactor = 70)`,
    `-- Attempts per endpoint and hour. latency_ms is the sum over attempts with a response.
     CREATE TABLE webhook_hours (
       webhook_id text COLLATE "C" NOT NULL,
       hour timestamptz NOT NULL,
       delivered integer NOT NULL,
       failed_attempts integer NOT NULL,
       given_up integer NOT NULL,
       responses integer NOT NULL,
       latency_ms bigint NOT NULL,
       latency_ms_max integer NOT NULL,
       PRIMARY KEY (webhook_id, hour)
     ) WITH (fillfactor = 70)`,
    'CREATE INDEX webhook_hours_hour ON webhook_hours (hour)',
    `-- Replays of a time range. A running one has yet to queue the deliveries after reached, up to the end of the range.
     CREATE TABLE webhook_replays (
       id text COLLATE "C" PRIMARY KEY,
       webhook_id text COLLATE "C" NOT NULL,
       account_id text COLLATE "C" NOT NULL,
       -- The restrictions of the key; domain_ids NULL: all domains.
       test boolean NOT NULL,
       domain_ids text[],
       from_at timestamptz NOT NULL,
       to_at timestamptz,
       types text[],
       delivery_status text,
       idempotency_key text,
       body_hash bytea,
       status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'completed', 'canceled', 'stopped')),
       reached text COLLATE "C",
       queued integer NOT NULL DEFAULT 0,
       skipped integer NOT NULL DEFAULT 0,
       created_at timestamptz NOT NULL DEFAULT now(),
       updated_at timestamptz NOT NULL DEFAULT now()
     )`,
    `CREATE INDEX webhook_replays_running ON webhook_replays (updated_at) WHERE status = 'running'`,
    'CREATE UNIQUE INDEX webhook_replays_key ON webhook_replays (webhook_id, idempotency_key)',
    'CREATE INDEX webhook_replays_webhook ON webhook_replays (webhook_id, id)',
    `-- Events that a consumer cannot handle. record: the event, or the record of another system as it was read, as JSON.
     CREATE TABLE parked_events (
       id text COLLATE "C" PRIMARY KEY,
       consumer text COLLATE "C" NOT NULL,
       source text NOT NULL,
       position bigint NOT NULL,
       event_id text COLLATE "C",
       event_type text,
       account_id text COLLATE "C",
       record text NOT NULL,
       reason text NOT NULL,
       failures integer NOT NULL DEFAULT 1,
       replay_requested_at timestamptz,
       parked_at timestamptz NOT NULL DEFAULT now(),
       failed_at timestamptz NOT NULL DEFAULT now(),
       UNIQUE (consumer, source, position)
     )`,
    'CREATE INDEX parked_events_requested ON parked_events (consumer) WHERE replay_requested_at IS NOT NULL',
  ],
};
