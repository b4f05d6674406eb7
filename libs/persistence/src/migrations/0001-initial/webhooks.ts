/** Tables of `libs/webhooks`. */
export const WEBHOOKS = `
  CREATE TABLE webhooks (
    id text COLLATE "C" PRIMARY KEY,
    account_id text COLLATE "C" NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    domain_ids text[],
    payload_format text NOT NULL DEFAULT 'native' CHECK (payload_format IN ('native', 'resend')),
    status text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
    disabled_reason text,
    failing_since timestamptz,
    secret_sealed bytea NOT NULL,
    previous_secret_sealed bytea,
    previous_secret_until timestamptz,
    sequence integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX webhooks_account ON webhooks (account_id, id);

  CREATE TABLE webhook_deliveries (
    id text COLLATE "C" PRIMARY KEY,
    webhook_id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    event_type text NOT NULL,
    sequence integer NOT NULL,
    body text NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    -- Attempts before the last replay: the retry schedule starts anew there, while attempts goes on counting.
    attempts_before_replay integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    claimed_by text COLLATE "C",
    fence integer NOT NULL DEFAULT 0,
    last_status integer,
    last_error text,
    last_latency_ms integer,
    last_response text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (webhook_id, event_id)
  );
  CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at)
    WHERE due_at IS NOT NULL AND claimed_by IS NULL;
  CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (claimed_by) WHERE claimed_by IS NOT NULL;
  CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
  CREATE INDEX webhook_deliveries_filtered ON webhook_deliveries (webhook_id, status, event_type, id);
  CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at);

  CREATE TABLE webhook_attempts (
    id text COLLATE "C" PRIMARY KEY,
    delivery_id text COLLATE "C" NOT NULL,
    webhook_id text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    status integer,
    error text,
    latency_ms integer NOT NULL,
    response text,
    started_at timestamptz NOT NULL
  );
  CREATE INDEX webhook_attempts_delivery ON webhook_attempts (delivery_id, id);
`;
