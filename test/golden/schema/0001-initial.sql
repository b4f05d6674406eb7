-- A database of migration 0001 with rows in every table. Never changed after the release of 0001.

SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET client_min_messages = warning;

CREATE TABLE accounts (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  standing text NOT NULL DEFAULT 'active' CHECK (standing IN ('active', 'blocked', 'overdue')),
  plan text NOT NULL DEFAULT 'free',
  -- Numbers the events that belong to the account itself, not to a message, domain or webhook.
  sequence integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
  name text NOT NULL,
  fingerprint bytea NOT NULL UNIQUE,
  hint text NOT NULL,
  mode text NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'test')),
  permission text,
  scopes text[],
  domain_ids text[],
  allowed_ips text[],
  enabled boolean NOT NULL DEFAULT true,
  checksum_exempt boolean NOT NULL DEFAULT false,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((permission IS NULL) <> (scopes IS NULL))
);
CREATE INDEX api_keys_account ON api_keys (account_id);
CREATE INDEX api_keys_checksum_exempt ON api_keys (fingerprint) WHERE checksum_exempt;

-- Only accounts with a limit have rows here, so an unlimited plan adds no write to the accept path.
-- monthly_limit: the limit of the last reservation. warned_percent: the last warning sent.
CREATE TABLE allowances (
  account_id text COLLATE "C" NOT NULL,
  month date NOT NULL,
  monthly_limit bigint NOT NULL,
  used bigint NOT NULL,
  warned_percent smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, month)
) WITH (fillfactor = 50);

-- One bucket per account, from which processes lease tokens.
-- Unlogged: a lease does not wait for the disk, and a bucket lost in a crash counts as full.
-- granted: the tokens of the last lease, stored because UPDATE can return only columns of the row.
CREATE UNLOGGED TABLE rate_buckets (
  account_id text COLLATE "C" PRIMARY KEY,
  tokens double precision NOT NULL,
  granted integer NOT NULL,
  filled_at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE audit_log (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  actor text COLLATE "C" NOT NULL,
  action text NOT NULL,
  target text NOT NULL,
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_log_account ON audit_log (account_id, id);

-- One row per authenticated API request; never a body, a key or an address.
CREATE TABLE request_log (
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
  PRIMARY KEY (account_id, id)
) PARTITION BY RANGE (id);
-- Errors are few: without this index a search for them would read every row of the account.
CREATE INDEX request_log_errors ON request_log (account_id, (status / 100), id) WHERE status >= 400;
CREATE TABLE request_log_default PARTITION OF request_log DEFAULT;


CREATE TABLE domains (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'active', 'failed')),
  vouched boolean NOT NULL DEFAULT false,
  selector text NOT NULL,
  open_tracking boolean NOT NULL DEFAULT false,
  click_tracking boolean NOT NULL DEFAULT false,
  tls text NOT NULL DEFAULT 'opportunistic' CHECK (tls IN ('opportunistic', 'enforced')),
  findings jsonb NOT NULL DEFAULT '[]',
  checked_at timestamptz,
  check_requested_at timestamptz,
  verified_at timestamptz,
  warning_since timestamptz,
  due_at timestamptz,
  fence integer NOT NULL DEFAULT 0,
  sequence integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (account_id, name)
);
CREATE UNIQUE INDEX domains_one_active_owner ON domains (name) WHERE status = 'active';
CREATE INDEX domains_due ON domains (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX domains_name ON domains (name);

-- A domain can have the next and the previous DKIM key beside the active one.
-- private_sealed is encrypted in the context '<domain id>:<key id>', so a row moved to another domain cannot be opened.
CREATE TABLE domain_keys (
  domain_id text COLLATE "C" NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  algorithm text NOT NULL CHECK (algorithm IN ('rsa', 'ed25519')),
  selector text NOT NULL,
  public_key text NOT NULL,
  private_sealed bytea NOT NULL,
  state text NOT NULL CHECK (state IN ('next', 'active', 'retired')),
  created_at timestamptz NOT NULL DEFAULT now(),
  verified_at timestamptz,
  switched_at timestamptz,
  retire_at timestamptz,
  PRIMARY KEY (domain_id, id),
  UNIQUE (domain_id, selector),
  UNIQUE (domain_id, algorithm, state),
  CHECK ((state = 'retired') = (retire_at IS NOT NULL))
);


-- address is in byte order, so that a prefix of an address is a range of the index.
-- domain_id NULL: the entry applies to the whole account.
CREATE TABLE suppressions (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  domain_id text COLLATE "C",
  address text COLLATE "C" NOT NULL,
  origin text NOT NULL CHECK (origin IN ('bounce', 'complaint', 'manual', 'unsubscribe')),
  reason text,
  source_id text COLLATE "C",
  evidence jsonb,
  expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- NULLS NOT DISTINCT would need PostgreSQL 15. The included columns let a search by prefix read this index only.
CREATE UNIQUE INDEX suppressions_address ON suppressions (account_id, address, (coalesce(domain_id, '')))
  INCLUDE (id, origin, domain_id, expires_at);
CREATE INDEX suppressions_account ON suppressions (account_id, id);
CREATE INDEX suppressions_origin ON suppressions (account_id, origin, id);
CREATE INDEX suppressions_host ON suppressions (account_id, (split_part(address, '@', -1)), id);
CREATE INDEX suppressions_domain ON suppressions (account_id, domain_id, id) WHERE domain_id IS NOT NULL;

-- The domain id under which the entries of a removed domain are kept, for an account that adds the domain again.
CREATE TABLE suppression_domains (
  account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  domain_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, name)
);


CREATE TABLE emails (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  domain_id text COLLATE "C" NOT NULL,
  -- The API key that submitted the message; NULL for messages of the service itself.
  api_key_id text COLLATE "C",
  mode text NOT NULL,
  source text NOT NULL,
  status text NOT NULL,
  last_event text NOT NULL,
  -- Claimed for delivery by the process that accepted the message, in the same commit.
  claimed_on_accept boolean NOT NULL DEFAULT false,
  -- The change of such a message from queued to delivered alters no indexed column, so that the new row version
  -- stays on its page (HOT update) and no index is written.
  state text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    CASE WHEN claimed_on_accept AND status = last_event AND status IN ('queued', 'delivered') THEN 'claimed'
         ELSE status || ' ' || last_event END) STORED,
  sender text NOT NULL,
  sender_address text NOT NULL DEFAULT '',
  header_to text[] NOT NULL,
  header_cc text[] NOT NULL,
  header_bcc text[] NOT NULL,
  reply_to text[] NOT NULL,
  subject text NOT NULL,
  tags jsonb NOT NULL,
  message_id text NOT NULL,
  size integer NOT NULL,
  recipient_count smallint NOT NULL,
  units smallint NOT NULL DEFAULT 0,
  sequence integer NOT NULL,
  lifetime_seconds integer,
  sandbox_result text,
  retry_of text COLLATE "C",
  -- {mailto?}, see HostedUnsubscribe. NULL: the message has no unsubscribe link of this service.
  unsubscribe jsonb,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  scheduled_at timestamptz,
  delivered_at timestamptz
) WITH (fillfactor = 50);
CREATE INDEX emails_account ON emails (account_id, id);
-- A filter by status or by last event alone merges the few values of the other.
CREATE INDEX emails_by_state ON emails (account_id, state, id);
-- A domain belongs to one account, so its id implies the account.
CREATE INDEX emails_by_domain ON emails (domain_id, id);
-- Begins with the column that emails_account lacks, so that the planner cannot choose that index and sort.
CREATE INDEX emails_by_sender ON emails (sender_address, account_id, id);
-- left(id, 9) is the time in the id in steps of 4.7 hours: matches of a prefix are sorted by id within one step only.
CREATE INDEX emails_by_subject ON emails (left(id, 9), account_id, (lower(left(subject, 64)) COLLATE "C"), id);
CREATE INDEX emails_scheduled ON emails (account_id, id) WHERE scheduled_at IS NOT NULL;

CREATE TABLE recipients (
  email_id text COLLATE "C" NOT NULL,
  ordinal smallint NOT NULL,
  address text NOT NULL,
  domain text NOT NULL,
  -- 64 bits of a hash of account and normalised address: a list by recipient reads one short index in order of id.
  search_key bigint NOT NULL DEFAULT 0,
  type text NOT NULL,
  status text NOT NULL,
  attempts smallint NOT NULL DEFAULT 0,
  due_at timestamptz,
  -- true once due_at has passed and until a claim or a new due_at; otherwise NULL, never false.
  is_due boolean,
  expires_at timestamptz NOT NULL,
  -- The worker that attempts delivery. fence is incremented by each claim, so that an outdated claim cannot settle.
  claimed_by text COLLATE "C",
  fence integer NOT NULL DEFAULT 0,
  -- Why a due recipient is not attempted: {kind, text, words, mx, queue}, see WaitReason. Cleared by a claim.
  wait_reason jsonb,
  smtp_code smallint,
  smtp_enhanced text,
  smtp_text text,
  mx text,
  ip text,
  tls text,
  unsubscribed_at timestamptz,
  PRIMARY KEY (email_id, ordinal)
) WITH (fillfactor = 70);
-- Two indexes, by time until a recipient is due and by domain afterwards: a claim goes from domain to domain and reads
-- neither rows that are not due nor the backlog of a domain at its limit.
CREATE INDEX recipients_waiting ON recipients (due_at)
  WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due IS NULL;
CREATE INDEX recipients_due ON recipients (domain, due_at)
  WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due;
CREATE INDEX recipients_claimed ON recipients (claimed_by) WHERE claimed_by IS NOT NULL;
-- Claimed and requeued before the first attempt: the state of a message claimed on accept does not show it.
CREATE INDEX recipients_requeued ON recipients (email_id)
  WHERE claimed_by IS NULL AND due_at IS NOT NULL AND attempts = 0 AND fence > 0;
-- For the release of a queue whose suspension is lifted by hand.
CREATE INDEX recipients_wait_queue ON recipients ((wait_reason ->> 'queue'))
  WHERE wait_reason IS NOT NULL AND claimed_by IS NULL;
CREATE INDEX recipients_search ON recipients (search_key, email_id);

-- 'mime': the message as it was relayed. 'parts': JSON of html, text, headers and attachments.
CREATE TABLE email_contents (
  email_id text COLLATE "C" PRIMARY KEY,
  format text NOT NULL CHECK (format IN ('mime', 'parts')),
  body bytea NOT NULL
) PARTITION BY RANGE (email_id);
-- Compressing a message body costs time on every insert and saves little.
ALTER TABLE email_contents ALTER body SET STORAGE EXTERNAL;
CREATE TABLE email_contents_default PARTITION OF email_contents DEFAULT;

CREATE TABLE email_tags (
  account_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  email_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, key, value, email_id)
);

CREATE TABLE idempotency_keys (
  scope text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  body_hash bytea NOT NULL,
  response jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING brin (created_at)
  WITH (pages_per_range = 16, autosummarize = on);

CREATE TABLE captured_messages (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  email_id text COLLATE "C" NOT NULL,
  mail_from text NOT NULL,
  rcpt_to text[] NOT NULL,
  size integer NOT NULL,
  raw bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (id);
ALTER TABLE captured_messages ALTER raw SET STORAGE EXTERNAL;
CREATE INDEX captured_messages_account ON captured_messages (account_id, id);
CREATE INDEX captured_messages_email ON captured_messages (email_id);
CREATE TABLE captured_messages_default PARTITION OF captured_messages DEFAULT;


CREATE TABLE attempts (
  id text COLLATE "C" NOT NULL,
  email_id text COLLATE "C" NOT NULL,
  ordinal smallint NOT NULL,
  number smallint NOT NULL,
  outcome text NOT NULL,
  phase text,
  smtp_code smallint,
  smtp_enhanced text,
  smtp_text text,
  mx text,
  ip text,
  tls text,
  cipher text,
  verified boolean,
  policy text,
  source text,
  provider text,
  -- The hosts that were tried before the one that decided, each with the reason for going on. NULL: none.
  earlier jsonb,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  PRIMARY KEY (email_id, id)
) PARTITION BY RANGE (email_id);
-- For readers that follow the attempts of all messages.
CREATE INDEX attempts_id ON attempts (id);
CREATE TABLE attempts_default PARTITION OF attempts DEFAULT;

-- Throttling decisions that delivery processes share. source '': the source address is chosen by the operating system.
CREATE TABLE throttling_states (
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
  PRIMARY KEY (queue, source, kind)
);
CREATE INDEX throttling_states_changed ON throttling_states (changed_at);

CREATE TABLE warmup_counts (
  source text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  day date NOT NULL,
  sent integer NOT NULL,
  PRIMARY KEY (source, provider, day)
);
CREATE INDEX warmup_counts_day ON warmup_counts (day);

-- MTA-STS policies of recipient domains (RFC 8461), shared until they expire.
-- policy: {mode, mx, maxAgeSeconds}, see StsPolicy. policy_id: the id of the TXT record it was fetched for.
CREATE TABLE sts_policies (
  domain text COLLATE "C" PRIMARY KEY,
  policy_id text NOT NULL,
  policy jsonb NOT NULL,
  fetched_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sts_policies_expiry ON sts_policies (expires_at);

-- TLS sessions with receiving servers by day, for the reports of RFC 8460.
CREATE TABLE tls_results (
  day date NOT NULL,
  policy_domain text COLLATE "C" NOT NULL,
  result_hash bytea NOT NULL,
  result jsonb NOT NULL,
  sessions integer NOT NULL,
  PRIMARY KEY (day, policy_domain, result_hash)
);

CREATE TABLE tls_reports (
  day date NOT NULL,
  policy_domain text COLLATE "C" NOT NULL,
  state text NOT NULL CHECK (state IN ('claimed', 'sent', 'not_requested', 'failed')),
  attempts smallint NOT NULL DEFAULT 1,
  attempted_at timestamptz NOT NULL DEFAULT now(),
  detail text,
  PRIMARY KEY (day, policy_domain)
);


-- Messages for the operator: mail to role addresses, and reports that could not be parsed.
-- verdict: the result of processing. note: the reason, as a sentence. email_id: the message the report is about.
CREATE TABLE inbound_messages (
  id text COLLATE "C" PRIMARY KEY,
  received_at timestamptz NOT NULL,
  mail_from text NOT NULL,
  rcpt_to text[] NOT NULL,
  remote_ip text NOT NULL,
  subject text,
  verdict text NOT NULL,
  note text,
  email_id text COLLATE "C",
  size int NOT NULL,
  raw bytea NOT NULL
);
ALTER TABLE inbound_messages ALTER raw SET STORAGE EXTERNAL;

-- Mailboxes that refused messages because they were full, until they are suppressed or accept one again.
-- recipient_key as recipients.search_key. email_ids: the first three refused messages.
CREATE TABLE full_mailboxes (
  account_id text COLLATE "C" NOT NULL,
  recipient_key bigint NOT NULL,
  email_ids text[] NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, recipient_key)
);
CREATE INDEX full_mailboxes_age ON full_mailboxes (last_at);


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

ALTER TABLE emails ALTER COLUMN api_key_id SET STATISTICS 0, ALTER COLUMN sender SET STATISTICS 0, ALTER COLUMN header_to SET STATISTICS 0, ALTER COLUMN header_cc SET STATISTICS 0, ALTER COLUMN header_bcc SET STATISTICS 0, ALTER COLUMN reply_to SET STATISTICS 0, ALTER COLUMN tags SET STATISTICS 0, ALTER COLUMN message_id SET STATISTICS 0, ALTER COLUMN size SET STATISTICS 0, ALTER COLUMN recipient_count SET STATISTICS 0, ALTER COLUMN units SET STATISTICS 0, ALTER COLUMN updated_at SET STATISTICS 0, ALTER COLUMN delivered_at SET STATISTICS 0, ALTER COLUMN lifetime_seconds SET STATISTICS 0, ALTER COLUMN unsubscribe SET STATISTICS 0;
ALTER TABLE email_contents ALTER COLUMN format SET STATISTICS 0, ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE recipients ALTER COLUMN smtp_code SET STATISTICS 0, ALTER COLUMN smtp_enhanced SET STATISTICS 0, ALTER COLUMN smtp_text SET STATISTICS 0, ALTER COLUMN mx SET STATISTICS 0, ALTER COLUMN ip SET STATISTICS 0, ALTER COLUMN tls SET STATISTICS 0;
ALTER TABLE attempts ALTER COLUMN smtp_code SET STATISTICS 0, ALTER COLUMN smtp_enhanced SET STATISTICS 0, ALTER COLUMN smtp_text SET STATISTICS 0, ALTER COLUMN mx SET STATISTICS 0, ALTER COLUMN ip SET STATISTICS 0, ALTER COLUMN tls SET STATISTICS 0, ALTER COLUMN cipher SET STATISTICS 0, ALTER COLUMN verified SET STATISTICS 0, ALTER COLUMN policy SET STATISTICS 0, ALTER COLUMN source SET STATISTICS 0, ALTER COLUMN provider SET STATISTICS 0, ALTER COLUMN earlier SET STATISTICS 0, ALTER COLUMN started_at SET STATISTICS 0, ALTER COLUMN ended_at SET STATISTICS 0;
ALTER TABLE outbox ALTER COLUMN event_id SET STATISTICS 0, ALTER COLUMN key SET STATISTICS 0, ALTER COLUMN sequence SET STATISTICS 0, ALTER COLUMN account_id SET STATISTICS 0, ALTER COLUMN domain_id SET STATISTICS 0, ALTER COLUMN api_key_id SET STATISTICS 0, ALTER COLUMN type SET STATISTICS 0, ALTER COLUMN test SET STATISTICS 0, ALTER COLUMN created_at SET STATISTICS 0, ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE event_log ALTER COLUMN event_id SET STATISTICS 0, ALTER COLUMN key SET STATISTICS 0, ALTER COLUMN sequence SET STATISTICS 0, ALTER COLUMN account_id SET STATISTICS 0, ALTER COLUMN domain_id SET STATISTICS 0, ALTER COLUMN api_key_id SET STATISTICS 0, ALTER COLUMN type SET STATISTICS 0, ALTER COLUMN test SET STATISTICS 0, ALTER COLUMN created_at SET STATISTICS 0, ALTER COLUMN data SET STATISTICS 0;
CREATE TABLE public.schema_migrations (
    id serial NOT NULL,
    "timestamp" bigint NOT NULL,
    name character varying NOT NULL,
    CONSTRAINT "PK_62441bec32630ced9e4cccae336" PRIMARY KEY (id)
);

INSERT INTO public.accounts (id, name, standing, plan, sequence, created_at) VALUES ('acc_01a1f0000000700080000000000000a1', 'Shop', 'active', 'unlimited', 0, '2026-01-02 03:04:05+00');
INSERT INTO public.accounts (id, name, standing, plan, sequence, created_at) VALUES ('acc_01a1f0000000700080000000000000a2', 'Blog', 'overdue', 'free', 2, '2026-01-03 03:04:05+00');
INSERT INTO public.domains (id, account_id, name, status, vouched, selector, open_tracking, click_tracking, tls, findings, checked_at, check_requested_at, verified_at, warning_since, due_at, fence, sequence, created_at, updated_at) VALUES ('dom_01a1f0000000700080000000000000c1', 'acc_01a1f0000000700080000000000000a1', 'shop.example', 'active', false, 'plaaaaaaaa', true, true, 'enforced', '[{"record": "SPF", "status": "verified"}]', '2026-02-01 00:00:00+00', '2026-01-31 00:00:00+00', '2026-01-31 00:01:00+00', '2026-02-01 00:00:00+00', '2026-02-01 00:05:00+00', 7, 3, '2026-01-30 00:00:00+00', '2026-02-01 00:00:00+00');
INSERT INTO public.domains (id, account_id, name, status, vouched, selector, open_tracking, click_tracking, tls, findings, checked_at, check_requested_at, verified_at, warning_since, due_at, fence, sequence, created_at, updated_at) VALUES ('dom_01a1f0000000700080000000000000c3', 'acc_01a1f0000000700080000000000000a2', 'bücher.example', 'pending', true, 'plbbbbbbbb', false, false, 'opportunistic', '[]', NULL, NULL, NULL, NULL, NULL, 0, 0, '2026-01-30 00:00:00+00', '2026-01-30 00:00:00+00');
INSERT INTO public.allowances (account_id, month, monthly_limit, used, warned_percent) VALUES ('acc_01a1f0000000700080000000000000a2', '2026-01-01', 3000, 2500, 80);
INSERT INTO public.allowances (account_id, month, monthly_limit, used, warned_percent) VALUES ('acc_01a1f0000000700080000000000000a2', '2026-02-01', 3000, 1, 0);
INSERT INTO public.api_keys (id, account_id, name, fingerprint, hint, mode, permission, scopes, domain_ids, allowed_ips, enabled, checksum_exempt, expires_at, revoked_at, last_used_at, created_at) VALUES ('key_01a1f0000000700080000000000000b1', 'acc_01a1f0000000700080000000000000a1', 'first key', '\x01', 'pl_live_…abcd', 'live', 'full_access', NULL, NULL, NULL, true, false, NULL, NULL, '2026-02-01 00:00:00+00', '2026-01-02 03:04:06+00');
INSERT INTO public.api_keys (id, account_id, name, fingerprint, hint, mode, permission, scopes, domain_ids, allowed_ips, enabled, checksum_exempt, expires_at, revoked_at, last_used_at, created_at) VALUES ('key_01a1f0000000700080000000000000b2', 'acc_01a1f0000000700080000000000000a2', 'read only', '\x02', 'pl_test_…efgh', 'test', NULL, '{emails:read,domains:read}', '{dom_01a1f0000000700080000000000000c1}', '{192.0.2.0/24}', false, true, '2027-01-01 00:00:00+00', '2026-02-02 00:00:00+00', NULL, '2026-01-03 03:04:06+00');
INSERT INTO public.attempts (id, email_id, ordinal, number, outcome, phase, smtp_code, smtp_enhanced, smtp_text, mx, ip, tls, cipher, verified, policy, source, provider, earlier, started_at, ended_at) VALUES ('att_01a1f000000070008000000000000040', 'em_01a1f000000070008000000000000010', 0, 1, 'delivered', 'data', 250, '2.0.0', '250 2.0.0 OK', 'mx.example.net', '192.0.2.25', 'TLSv1.3', 'TLS_AES_256_GCM_SHA384', true, 'dane', '192.0.2.1', 'example', '[{"mx": "mx1.example.net", "reason": "connection refused"}]', '2026-02-01 00:00:01+00', '2026-02-01 00:00:02+00');
INSERT INTO public.attempts (id, email_id, ordinal, number, outcome, phase, smtp_code, smtp_enhanced, smtp_text, mx, ip, tls, cipher, verified, policy, source, provider, earlier, started_at, ended_at) VALUES ('att_01a1f000000070008000000000000041', 'em_01a1f000000070008000000000000011', 0, 1, 'deferred', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-02-01 00:00:01+00', '2026-02-01 00:00:31+00');
INSERT INTO public.audit_log (id, account_id, actor, action, target, details, created_at) VALUES ('aud_01a1f0000000700080000000000000d1', 'acc_01a1f0000000700080000000000000a1', 'key_01a1f0000000700080000000000000b1', 'suppression.removed', 'sup_01a1f0000000700080000000000000e1', '{"email": "a@example.net", "force": false}', '2026-02-01 00:00:00+00');
INSERT INTO public.audit_log (id, account_id, actor, action, target, details, created_at) VALUES ('aud_01a1f0000000700080000000000000d2', 'acc_01a1f0000000700080000000000000a1', 'operator', 'domain.removed', 'dom_01a1f0000000700080000000000000c2', '{}', '2026-02-02 00:00:00+00');
INSERT INTO public.captured_messages (id, account_id, email_id, mail_from, rcpt_to, size, raw, created_at) VALUES ('cap_01a1f000000070008000000000000030', 'acc_01a1f0000000700080000000000000a1', 'em_01a1f000000070008000000000000010', 'b+1@bounces.postloft.test', '{ann@example.net}', 12, '\x5375626a6563743a200d0a', '2026-02-01 00:00:00+00');
INSERT INTO public.captured_messages (id, account_id, email_id, mail_from, rcpt_to, size, raw, created_at) VALUES ('cap_01a1f000000070008000000000000031', 'acc_01a1f0000000700080000000000000a1', 'em_01a1f000000070008000000000000010', '', '{a@example.net,b@example.net}', 1, '\x0a', '2026-02-01 00:00:00+00');
INSERT INTO public.consumer_positions (consumer, "position", updated_at) VALUES ('webhooks', 2, '2026-02-01 00:00:02+00');
INSERT INTO public.consumer_positions (consumer, "position", updated_at) VALUES ('stats:8f14e45f', 1, '2026-02-01 00:00:02+00');
INSERT INTO public.domain_keys (domain_id, id, algorithm, selector, public_key, private_sealed, state, created_at, verified_at, switched_at, retire_at) VALUES ('dom_01a1f0000000700080000000000000c1', 'rsa', 'rsa', 'plaaaaaaaa', 'MIIB', '\x0102', 'active', '2026-01-30 00:00:00+00', '2026-01-31 00:00:00+00', '2026-01-31 00:00:00+00', NULL);
INSERT INTO public.domain_keys (domain_id, id, algorithm, selector, public_key, private_sealed, state, created_at, verified_at, switched_at, retire_at) VALUES ('dom_01a1f0000000700080000000000000c1', 'ed25519', 'ed25519', 'plaaaaaaaae', 'MCow', '\x0304', 'retired', '2026-01-30 00:00:00+00', NULL, NULL, '2026-03-01 00:00:00+00');
INSERT INTO public.email_contents (email_id, format, body) VALUES ('em_01a1f000000070008000000000000010', 'parts', '\x7b7d');
INSERT INTO public.email_contents (email_id, format, body) VALUES ('em_01a1f000000070008000000000000011', 'mime', '\x5375626a6563743a200d0a0d0a');
INSERT INTO public.email_tags (account_id, key, value, email_id) VALUES ('acc_01a1f0000000700080000000000000a1', 'type', 'order', 'em_01a1f000000070008000000000000010');
INSERT INTO public.email_tags (account_id, key, value, email_id) VALUES ('acc_01a1f0000000700080000000000000a1', 'type', 'order', 'em_01a1f000000070008000000000000012');
INSERT INTO public.emails (id, account_id, domain_id, mode, source, status, last_event, claimed_on_accept, state, sender, sender_address, header_to, header_cc, header_bcc, reply_to, subject, tags, message_id, size, recipient_count, units, sequence, lifetime_seconds, sandbox_result, retry_of, unsubscribe, created_at, updated_at, scheduled_at, delivered_at) VALUES ('em_01a1f000000070008000000000000010', 'acc_01a1f0000000700080000000000000a1', 'dom_01a1f0000000700080000000000000c1', 'live', 'api', 'delivered', 'delivered', true, DEFAULT, 'Shop <hello@shop.example>', 'hello@shop.example', '{"Ann <ann@example.net>"}', '{}', '{}', '{}', 'Your order “12”', '{"type": "order"}', '<1@shop.example>', 1234, 1, 1, 3, NULL, NULL, NULL, NULL, '2026-02-01 00:00:00+00', '2026-02-01 00:00:02+00', NULL, '2026-02-01 00:00:02+00');
INSERT INTO public.emails (id, account_id, domain_id, mode, source, status, last_event, claimed_on_accept, state, sender, sender_address, header_to, header_cc, header_bcc, reply_to, subject, tags, message_id, size, recipient_count, units, sequence, lifetime_seconds, sandbox_result, retry_of, unsubscribe, created_at, updated_at, scheduled_at, delivered_at) VALUES ('em_01a1f000000070008000000000000011', 'acc_01a1f0000000700080000000000000a2', 'dom_01a1f0000000700080000000000000c3', 'test', 'smtp', 'scheduled', 'scheduled', false, DEFAULT, 'post@xn--bcher-kva.example', 'post@xn--bcher-kva.example', '{a@example.net,b@example.net}', '{c@example.net}', '{d@example.net}', '{r@example.net}', '', '{}', '<2@xn--bcher-kva.example>', 99, 4, 4, 1, 3600, 'bounced', 'em_01a1f000000070008000000000000010', '{"mailto": "u@shop.example"}', '2026-02-01 00:00:00+00', '2026-02-01 00:00:00+00', '2026-02-03 00:00:00+00', NULL);
INSERT INTO public.event_log_head (single, "position") VALUES (true, 2);
INSERT INTO public.full_mailboxes (account_id, recipient_key, email_ids, first_at, last_at) VALUES ('acc_01a1f0000000700080000000000000a1', -5, '{em_01a1f000000070008000000000000010}', '2026-02-01 00:00:00+00', '2026-02-01 00:00:00+00');
INSERT INTO public.full_mailboxes (account_id, recipient_key, email_ids, first_at, last_at) VALUES ('acc_01a1f0000000700080000000000000a2', 9, '{em_1,em_2,em_3}', '2026-01-01 00:00:00+00', '2026-02-01 00:00:00+00');
INSERT INTO public.idempotency_keys (scope, key, body_hash, response, created_at) VALUES ('acc_01a1f0000000700080000000000000a1:emails', 'key-1', '\xff00', '{"id": "em_01a1f000000070008000000000000010"}', '2026-02-01 00:00:00+00');
INSERT INTO public.idempotency_keys (scope, key, body_hash, response, created_at) VALUES ('acc_01a1f0000000700080000000000000a1:batch', 'key-1', '\xff01', '[]', '2026-02-01 00:00:00+00');
INSERT INTO public.inbound_messages (id, received_at, mail_from, rcpt_to, remote_ip, subject, verdict, note, email_id, size, raw) VALUES ('inb_01a1f000000070008000000000000050', '2026-02-01 00:00:00+00', '', '{b+1@bounces.postloft.test}', '192.0.2.26', 'Undelivered', 'unreadable', 'The report has no final recipient.', 'em_01a1f000000070008000000000000010', 3, '\x0d0a0d');
INSERT INTO public.inbound_messages (id, received_at, mail_from, rcpt_to, remote_ip, subject, verdict, note, email_id, size, raw) VALUES ('inb_01a1f000000070008000000000000051', '2026-02-01 00:00:01+00', 'x@example.net', '{postmaster@postloft.test}', '2001:db8::1', NULL, 'for_operator', NULL, NULL, 1, '\x0a');
INSERT INTO public.outbox (id, event_id, key, sequence, account_id, domain_id, api_key_id, type, test, created_at, data) OVERRIDING SYSTEM VALUE VALUES (1, '{evt_01a1f000000070008000000000000060,evt_01a1f000000070008000000000000061}', '{em_01a1f000000070008000000000000010,acc_01a1f0000000700080000000000000a2}', '{3,2}', '{acc_01a1f0000000700080000000000000a1,acc_01a1f0000000700080000000000000a2}', '{dom_01a1f0000000700080000000000000c1,NULL}', '{key_01a1f0000000700080000000000000b1,NULL}', '{email.delivered,account.allowance_warning}', '{f,t}', '{"2026-02-01 00:00:02+00","2026-02-01 00:00:03+00"}', '{"{\"recipient\": \"\\\"ann\\\" {x}, NULL\"}","{}"}');
INSERT INTO public.outbox (id, event_id, key, sequence, account_id, domain_id, api_key_id, type, test, created_at, data) OVERRIDING SYSTEM VALUE VALUES (2, '{evt_01a1f000000070008000000000000062}', '{em_01a1f000000070008000000000000011}', '{1}', '{acc_01a1f0000000700080000000000000a2}', '{NULL}', '{NULL}', '{email.scheduled}', '{t}', '{"2026-02-01 00:00:00+00"}', '{"{}"}');
INSERT INTO public.rate_buckets (account_id, tokens, granted, filled_at) VALUES ('acc_01a1f0000000700080000000000000a1', 99.5, 10, '2026-02-01 00:00:00+00');
INSERT INTO public.rate_buckets (account_id, tokens, granted, filled_at) VALUES ('acc_01a1f0000000700080000000000000a2', 0, 0, '2026-02-01 00:00:01+00');
INSERT INTO public.recipients (email_id, ordinal, address, domain, search_key, type, status, attempts, due_at, is_due, expires_at, claimed_by, fence, wait_reason, smtp_code, smtp_enhanced, smtp_text, mx, ip, tls, unsubscribed_at) VALUES ('em_01a1f000000070008000000000000010', 0, 'ann@example.net', 'example.net', -5, 'to', 'delivered', 1, NULL, NULL, '2026-02-04 00:00:00+00', NULL, 1, NULL, 250, '2.0.0', '250 2.0.0 OK', 'mx.example.net', '192.0.2.25', 'TLSv1.3', '2026-02-05 00:00:00+00');
INSERT INTO public.recipients (email_id, ordinal, address, domain, search_key, type, status, attempts, due_at, is_due, expires_at, claimed_by, fence, wait_reason, smtp_code, smtp_enhanced, smtp_text, mx, ip, tls, unsubscribed_at) VALUES ('em_01a1f000000070008000000000000011', 0, 'a@example.net', 'example.net', 6, 'to', 'queued', 1, '2026-02-01 00:10:00+00', true, '2026-02-04 00:00:00+00', NULL, 2, '{"mx": null, "kind": "rate", "text": "This queue is limited.", "queue": "domain:example.net", "words": null, "source": null}', 451, '4.7.0', '451 4.7.0 later', NULL, NULL, NULL, NULL);
INSERT INTO public.recipients (email_id, ordinal, address, domain, search_key, type, status, attempts, due_at, is_due, expires_at, claimed_by, fence, wait_reason, smtp_code, smtp_enhanced, smtp_text, mx, ip, tls, unsubscribed_at) VALUES ('em_01a1f000000070008000000000000011', 1, 'b@example.net', 'example.net', 7, 'to', 'sending', 0, '2026-02-01 00:10:00+00', NULL, '2026-02-04 00:00:00+00', 'wrk_01a1f000000070008000000000000020', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.request_log (id, account_id, api_key_id, request_id, method, path, status, error, user_agent, ip, latency_ms, created_at) VALUES ('req_01a1f0000000700080000000000000f1', 'acc_01a1f0000000700080000000000000a1', 'key_01a1f0000000700080000000000000b1', 'r-1', 'POST', '/emails', 201, NULL, 'curl/8', '192.0.2.1', 4, '2026-02-01 00:00:00+00');
INSERT INTO public.request_log (id, account_id, api_key_id, request_id, method, path, status, error, user_agent, ip, latency_ms, created_at) VALUES ('req_01a1f0000000700080000000000000f2', 'acc_01a1f0000000700080000000000000a1', 'key_01a1f0000000700080000000000000b1', 'r-2', 'POST', '/emails', 400, 'validation_error', NULL, NULL, 1, '2026-02-01 00:00:01+00');
INSERT INTO public.schema_migrations (id, "timestamp", name) VALUES (1, 1700000000001, 'Schema1700000000001');
INSERT INTO public.sink_batches (source, first_position, last_position, created_at) VALUES ('stats:8f14e45f:log', 1, 2, '2026-02-01 00:00:02+00');
INSERT INTO public.sink_batches (source, first_position, last_position, created_at) VALUES ('stats:8f14e45f:0', 1, 1, '2026-02-01 00:00:02+00');
INSERT INTO public.sts_policies (domain, policy_id, policy, fetched_at, expires_at) VALUES ('example.net', '20260101', '{"mx": ["*.example.net"], "mode": "enforce", "maxAgeSeconds": 86400}', '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00');
INSERT INTO public.sts_policies (domain, policy_id, policy, fetched_at, expires_at) VALUES ('example.org', '1', '{"mx": [], "mode": "none", "maxAgeSeconds": 60}', '2026-02-01 00:00:00+00', '2026-02-01 00:01:00+00');
INSERT INTO public.suppression_domains (account_id, name, domain_id) VALUES ('acc_01a1f0000000700080000000000000a1', 'old.example', 'dom_01a1f0000000700080000000000000c2');
INSERT INTO public.suppression_domains (account_id, name, domain_id) VALUES ('acc_01a1f0000000700080000000000000a2', 'old.example', 'dom_01a1f0000000700080000000000000c4');
INSERT INTO public.suppressions (id, account_id, domain_id, address, origin, reason, source_id, evidence, expires_at, created_at) VALUES ('sup_01a1f0000000700080000000000000e1', 'acc_01a1f0000000700080000000000000a1', NULL, 'gone@example.net', 'bounce', '550 5.1.1 no such user', 'em_01a1f000000070008000000000000010', '{"mx": "mx.example.net", "smtp_code": 550}', NULL, '2026-02-01 00:00:00+00');
INSERT INTO public.suppressions (id, account_id, domain_id, address, origin, reason, source_id, evidence, expires_at, created_at) VALUES ('sup_01a1f0000000700080000000000000e2', 'acc_01a1f0000000700080000000000000a1', 'dom_01a1f0000000700080000000000000c1', 'gone@example.net', 'manual', NULL, NULL, NULL, '2026-03-01 00:00:00+00', '2026-02-01 00:00:01+00');
INSERT INTO public.throttling_states (queue, source, kind, factor, until, decided_at, words, mx, rule, changed_at) VALUES ('domain:example.net', '', 'slow_down', 0.5, '2026-02-01 01:00:00+00', '2026-02-01 00:00:00+00', '421 4.7.0 too fast', 'mx.example.net', 'example: 421', '2026-02-01 00:00:00+00');
INSERT INTO public.throttling_states (queue, source, kind, factor, until, decided_at, words, mx, rule, changed_at) VALUES ('provider:example', '192.0.2.1', 'suspended', 0, '2026-02-01 01:00:00+00', '2026-02-01 00:00:00+00', NULL, NULL, 'by hand', '2026-02-01 00:00:00+00');
INSERT INTO public.tls_reports (day, policy_domain, state, attempts, attempted_at, detail) VALUES ('2026-01-31', 'example.net', 'sent', 1, '2026-02-01 04:00:00+00', NULL);
INSERT INTO public.tls_reports (day, policy_domain, state, attempts, attempted_at, detail) VALUES ('2026-01-31', 'example.org', 'not_requested', 2, '2026-02-01 05:00:00+00', 'no record');
INSERT INTO public.tls_results (day, policy_domain, result_hash, result, sessions) VALUES ('2026-02-01', 'example.net', '\xaa', '{"policyType": "sts", "policyDomain": "example.net"}', 3);
INSERT INTO public.tls_results (day, policy_domain, result_hash, result, sessions) VALUES ('2026-02-01', 'example.net', '\xbb', '{"policyType": "tlsa", "policyDomain": "example.net"}', 1);
INSERT INTO public.warmup_counts (source, provider, day, sent) VALUES ('192.0.2.1', 'example', '2026-02-01', 50);
INSERT INTO public.warmup_counts (source, provider, day, sent) VALUES ('192.0.2.1', 'example', '2026-02-02', 100);
INSERT INTO public.webhook_attempts (id, delivery_id, webhook_id, number, status, error, latency_ms, response, started_at) VALUES ('atm_01a1f000000070008000000000000090', 'dlv_01a1f000000070008000000000000080', 'wh_01a1f000000070008000000000000071', 1, 500, 'status 500', 12, 'Internal Server Error', '2026-02-01 00:00:00+00');
INSERT INTO public.webhook_attempts (id, delivery_id, webhook_id, number, status, error, latency_ms, response, started_at) VALUES ('atm_01a1f000000070008000000000000091', 'dlv_01a1f000000070008000000000000081', 'wh_01a1f000000070008000000000000070', 1, NULL, 'timeout', 15000, NULL, '2026-02-01 00:00:00+00');
INSERT INTO public.webhook_deliveries (id, webhook_id, account_id, event_id, event_type, sequence, body, status, attempts, attempts_before_replay, due_at, claimed_by, fence, last_status, last_error, last_latency_ms, last_response, created_at, updated_at) VALUES ('dlv_01a1f000000070008000000000000080', 'wh_01a1f000000070008000000000000071', 'acc_01a1f0000000700080000000000000a2', 'evt_01a1f000000070008000000000000062', 'email.scheduled', 1, '{"type":"email.scheduled"}', 'pending', 2, 1, '2026-02-01 00:05:00+00', NULL, 2, 500, 'status 500', 12, 'Internal Server Error', '2026-02-01 00:00:00+00', '2026-02-01 00:00:10+00');
INSERT INTO public.webhook_deliveries (id, webhook_id, account_id, event_id, event_type, sequence, body, status, attempts, attempts_before_replay, due_at, claimed_by, fence, last_status, last_error, last_latency_ms, last_response, created_at, updated_at) VALUES ('dlv_01a1f000000070008000000000000081', 'wh_01a1f000000070008000000000000070', 'acc_01a1f0000000700080000000000000a1', 'evt_01a1f000000070008000000000000063', 'email.queued', 1, '{}', 'delivered', 1, 0, NULL, NULL, 1, 200, NULL, 5, '', '2026-02-01 00:00:00+00', '2026-02-01 00:00:01+00');
INSERT INTO public.webhooks (id, account_id, url, events, domain_ids, payload_format, status, disabled_reason, failing_since, secret_sealed, previous_secret_sealed, previous_secret_until, sequence, created_at, updated_at) VALUES ('wh_01a1f000000070008000000000000070', 'acc_01a1f0000000700080000000000000a1', 'https://shop.example/hook', '{email.delivered,email.bounced}', '{dom_01a1f0000000700080000000000000c1}', 'native', 'disabled', 'failing', '2026-01-29 00:00:00+00', '\x0506', '\x0708', '2026-02-02 00:00:00+00', 1, '2026-01-02 00:00:00+00', '2026-02-01 00:00:00+00');
INSERT INTO public.webhooks (id, account_id, url, events, domain_ids, payload_format, status, disabled_reason, failing_since, secret_sealed, previous_secret_sealed, previous_secret_until, sequence, created_at, updated_at) VALUES ('wh_01a1f000000070008000000000000071', 'acc_01a1f0000000700080000000000000a2', 'https://blog.example/hook', '{*}', NULL, 'resend', 'enabled', NULL, NULL, '\x090a', NULL, NULL, 0, '2026-01-02 00:00:00+00', '2026-01-02 00:00:00+00');
INSERT INTO public.workers (id, program, data_dir, started_at, heartbeat_at) VALUES ('wrk_01a1f000000070008000000000000020', 'standalone', '/data', '2026-02-01 00:00:00+00', '2026-02-01 00:00:05+00');
INSERT INTO public.workers (id, program, data_dir, started_at, heartbeat_at) VALUES ('wrk_01a1f000000070008000000000000021', 'delivery', '/data', '2026-02-01 00:00:00+00', '2026-02-01 00:00:05+00');
INSERT INTO public.event_log (first_position, count, moved_at, event_ids, event_id, key, sequence, account_id, domain_id, api_key_id, type, test, created_at, data) VALUES (1, 2, '2026-02-01 00:00:02+00', '[evt_01a1f000000070008000000000000063,evt_01a1f000000070008000000000000064]', '{evt_01a1f000000070008000000000000063,evt_01a1f000000070008000000000000064}', '{em_01a1f000000070008000000000000010,wh_01a1f000000070008000000000000070}', '{1,1}', '{acc_01a1f0000000700080000000000000a1,acc_01a1f0000000700080000000000000a1}', '{dom_01a1f0000000700080000000000000c1,NULL}', '{key_01a1f0000000700080000000000000b1,NULL}', '{email.queued,webhook.disabled}', '{f,f}', '{"2026-02-01 00:00:00+00","2026-02-01 00:00:01+00"}', '{"{\"email_id\": \"em_01a1f000000070008000000000000010\",  \"n\": 1.0}","{}"}');
INSERT INTO public.event_log_accounts VALUES ('acc_01a1f0000000700080000000000000a1', 1, 2, '2026-02-01 00:00:02+00', false);

SELECT pg_catalog.setval('public.outbox_id_seq', 2, true);
SELECT pg_catalog.setval('public.schema_migrations_id_seq', 1, true);
