-- A database of migration 0001 with rows in every table, as pg_dump (15, --inserts --no-owner --no-privileges) wrote it;
-- without its comments. Never changed after the release of 0001.

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.accounts (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    standing text DEFAULT 'active'::text NOT NULL,
    plan text DEFAULT 'free'::text NOT NULL,
    sequence integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT accounts_standing_check CHECK ((standing = ANY (ARRAY['active'::text, 'blocked'::text, 'overdue'::text])))
);

CREATE TABLE public.allowances (
    account_id text NOT NULL COLLATE pg_catalog."C",
    month date NOT NULL,
    monthly_limit bigint NOT NULL,
    used bigint NOT NULL,
    warned_percent smallint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.api_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    fingerprint bytea NOT NULL,
    hint text NOT NULL,
    mode text DEFAULT 'live'::text NOT NULL,
    permission text,
    scopes text[],
    domain_ids text[],
    allowed_ips text[],
    enabled boolean DEFAULT true NOT NULL,
    checksum_exempt boolean DEFAULT false NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT api_keys_check CHECK (((permission IS NULL) <> (scopes IS NULL))),
    CONSTRAINT api_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
);

CREATE TABLE public.attempts (
    id text NOT NULL COLLATE pg_catalog."C",
    email_id text NOT NULL COLLATE pg_catalog."C",
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
    earlier jsonb,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.attempts ALTER COLUMN smtp_code SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN smtp_enhanced SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN smtp_text SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN mx SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN ip SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN tls SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN cipher SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN verified SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN policy SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN source SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN provider SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN earlier SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN started_at SET STATISTICS 0;
ALTER TABLE ONLY public.attempts ALTER COLUMN ended_at SET STATISTICS 0;

CREATE TABLE public.audit_log (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    actor text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL,
    target text NOT NULL,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.captured_messages (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    email_id text NOT NULL COLLATE pg_catalog."C",
    mail_from text NOT NULL,
    rcpt_to text[] NOT NULL,
    size integer NOT NULL,
    raw bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY public.captured_messages ALTER COLUMN raw SET STORAGE EXTERNAL;

CREATE TABLE public.consumer_positions (
    consumer text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.domain_keys (
    domain_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    algorithm text NOT NULL,
    selector text NOT NULL,
    public_key text NOT NULL,
    private_sealed bytea NOT NULL,
    state text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    verified_at timestamp with time zone,
    switched_at timestamp with time zone,
    retire_at timestamp with time zone,
    CONSTRAINT domain_keys_algorithm_check CHECK ((algorithm = ANY (ARRAY['rsa'::text, 'ed25519'::text]))),
    CONSTRAINT domain_keys_check CHECK (((state = 'retired'::text) = (retire_at IS NOT NULL))),
    CONSTRAINT domain_keys_state_check CHECK ((state = ANY (ARRAY['next'::text, 'active'::text, 'retired'::text])))
);

CREATE TABLE public.domains (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    vouched boolean DEFAULT false NOT NULL,
    selector text NOT NULL,
    open_tracking boolean DEFAULT false NOT NULL,
    click_tracking boolean DEFAULT false NOT NULL,
    tls text DEFAULT 'opportunistic'::text NOT NULL,
    findings jsonb DEFAULT '[]'::jsonb NOT NULL,
    checked_at timestamp with time zone,
    check_requested_at timestamp with time zone,
    verified_at timestamp with time zone,
    warning_since timestamp with time zone,
    due_at timestamp with time zone,
    fence integer DEFAULT 0 NOT NULL,
    sequence integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT domains_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'failed'::text]))),
    CONSTRAINT domains_tls_check CHECK ((tls = ANY (ARRAY['opportunistic'::text, 'enforced'::text])))
);

CREATE TABLE public.email_contents (
    email_id text NOT NULL COLLATE pg_catalog."C",
    format text NOT NULL,
    body bytea NOT NULL,
    CONSTRAINT email_contents_format_check CHECK ((format = ANY (ARRAY['mime'::text, 'parts'::text])))
);
ALTER TABLE ONLY public.email_contents ALTER COLUMN format SET STATISTICS 0;
ALTER TABLE ONLY public.email_contents ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE ONLY public.email_contents ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE public.email_tags (
    account_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    email_id text NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE public.emails (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    domain_id text NOT NULL COLLATE pg_catalog."C",
    mode text NOT NULL,
    source text NOT NULL,
    status text NOT NULL,
    last_event text NOT NULL,
    claimed_on_accept boolean DEFAULT false NOT NULL,
    state text GENERATED ALWAYS AS (
CASE
    WHEN (claimed_on_accept AND (status = last_event) AND (status = ANY (ARRAY['queued'::text, 'delivered'::text]))) THEN 'claimed'::text
    ELSE ((status || ' '::text) || last_event)
END) STORED NOT NULL COLLATE pg_catalog."C",
    sender text NOT NULL,
    sender_address text DEFAULT ''::text NOT NULL,
    header_to text[] NOT NULL,
    header_cc text[] NOT NULL,
    header_bcc text[] NOT NULL,
    reply_to text[] NOT NULL,
    subject text NOT NULL,
    tags jsonb NOT NULL,
    message_id text NOT NULL,
    size integer NOT NULL,
    recipient_count smallint NOT NULL,
    units smallint DEFAULT 0 NOT NULL,
    sequence integer NOT NULL,
    lifetime_seconds integer,
    sandbox_result text,
    retry_of text COLLATE pg_catalog."C",
    unsubscribe jsonb,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    scheduled_at timestamp with time zone,
    delivered_at timestamp with time zone
)
WITH (fillfactor='50');
ALTER TABLE ONLY public.emails ALTER COLUMN sender SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN header_to SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN header_cc SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN header_bcc SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN reply_to SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN tags SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN message_id SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN size SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN recipient_count SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN units SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN lifetime_seconds SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN unsubscribe SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN updated_at SET STATISTICS 0;
ALTER TABLE ONLY public.emails ALTER COLUMN delivered_at SET STATISTICS 0;

CREATE TABLE public.event_log (
    "position" bigint NOT NULL,
    event_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    sequence integer NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    domain_id text COLLATE pg_catalog."C",
    type text NOT NULL,
    test boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    data json NOT NULL
);
ALTER TABLE ONLY public.event_log ALTER COLUMN data SET STATISTICS 0;

CREATE TABLE public.event_log_head (
    single boolean DEFAULT true NOT NULL,
    "position" bigint NOT NULL,
    CONSTRAINT event_log_head_single_check CHECK (single)
);

CREATE TABLE public.full_mailboxes (
    account_id text NOT NULL COLLATE pg_catalog."C",
    recipient_key bigint NOT NULL,
    email_ids text[] NOT NULL,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL
);

CREATE TABLE public.idempotency_keys (
    scope text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    body_hash bytea NOT NULL,
    response jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.inbound_messages (
    id text NOT NULL COLLATE pg_catalog."C",
    received_at timestamp with time zone NOT NULL,
    mail_from text NOT NULL,
    rcpt_to text[] NOT NULL,
    remote_ip text NOT NULL,
    subject text,
    verdict text NOT NULL,
    note text,
    email_id text COLLATE pg_catalog."C",
    size integer NOT NULL,
    raw bytea NOT NULL
);
ALTER TABLE ONLY public.inbound_messages ALTER COLUMN raw SET STORAGE EXTERNAL;

CREATE TABLE public.outbox (
    id bigint NOT NULL,
    event_id text[] NOT NULL,
    key text[] NOT NULL,
    sequence integer[] NOT NULL,
    account_id text[] NOT NULL,
    domain_id text[] NOT NULL,
    type text[] NOT NULL,
    test boolean[] NOT NULL,
    created_at timestamp with time zone[] NOT NULL,
    data json[] NOT NULL
)
WITH (toast_tuple_target='8160');
ALTER TABLE ONLY public.outbox ALTER COLUMN event_id SET STATISTICS 0;
ALTER TABLE ONLY public.outbox ALTER COLUMN event_id SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.outbox ALTER COLUMN key SET STATISTICS 0;
ALTER TABLE ONLY public.outbox ALTER COLUMN key SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.outbox ALTER COLUMN sequence SET STATISTICS 0;
ALTER TABLE ONLY public.outbox ALTER COLUMN sequence SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.outbox ALTER COLUMN account_id SET STATISTICS 0;
ALTER TABLE ONLY public.outbox ALTER COLUMN account_id SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.outbox ALTER COLUMN domain_id SET STATISTICS 0;
ALTER TABLE ONLY public.outbox ALTER COLUMN domain_id SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.outbox ALTER COLUMN type SET STATISTICS 0;
ALTER TABLE ONLY public.outbox ALTER COLUMN type SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.outbox ALTER COLUMN test SET STATISTICS 0;
ALTER TABLE ONLY public.outbox ALTER COLUMN test SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.outbox ALTER COLUMN created_at SET STATISTICS 0;
ALTER TABLE ONLY public.outbox ALTER COLUMN created_at SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.outbox ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE ONLY public.outbox ALTER COLUMN data SET STORAGE EXTERNAL;

ALTER TABLE public.outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE UNLOGGED TABLE public.rate_buckets (
    account_id text NOT NULL COLLATE pg_catalog."C",
    tokens double precision NOT NULL,
    granted integer NOT NULL,
    filled_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.recipients (
    email_id text NOT NULL COLLATE pg_catalog."C",
    ordinal smallint NOT NULL,
    address text NOT NULL,
    domain text NOT NULL,
    search_key bigint DEFAULT 0 NOT NULL,
    type text NOT NULL,
    status text NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    is_due boolean,
    expires_at timestamp with time zone NOT NULL,
    claimed_by text COLLATE pg_catalog."C",
    fence integer DEFAULT 0 NOT NULL,
    wait_reason jsonb,
    smtp_code smallint,
    smtp_enhanced text,
    smtp_text text,
    mx text,
    ip text,
    tls text,
    unsubscribed_at timestamp with time zone
)
WITH (fillfactor='70');
ALTER TABLE ONLY public.recipients ALTER COLUMN smtp_code SET STATISTICS 0;
ALTER TABLE ONLY public.recipients ALTER COLUMN smtp_enhanced SET STATISTICS 0;
ALTER TABLE ONLY public.recipients ALTER COLUMN smtp_text SET STATISTICS 0;
ALTER TABLE ONLY public.recipients ALTER COLUMN mx SET STATISTICS 0;
ALTER TABLE ONLY public.recipients ALTER COLUMN ip SET STATISTICS 0;
ALTER TABLE ONLY public.recipients ALTER COLUMN tls SET STATISTICS 0;

CREATE TABLE public.request_log (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    api_key_id text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    method text NOT NULL,
    path text NOT NULL,
    status smallint NOT NULL,
    error text,
    user_agent text,
    ip text,
    latency_ms integer NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.schema_migrations (
    id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    name character varying NOT NULL
);

CREATE SEQUENCE public.schema_migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.schema_migrations_id_seq OWNED BY public.schema_migrations.id;

CREATE TABLE public.sink_batches (
    source text NOT NULL COLLATE pg_catalog."C",
    first_position bigint NOT NULL,
    last_position bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.sts_policies (
    domain text NOT NULL COLLATE pg_catalog."C",
    policy_id text NOT NULL,
    policy jsonb NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.suppression_domains (
    account_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    domain_id text NOT NULL COLLATE pg_catalog."C"
);

CREATE TABLE public.suppressions (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    domain_id text COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    origin text NOT NULL,
    reason text,
    source_id text COLLATE pg_catalog."C",
    evidence jsonb,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT suppressions_origin_check CHECK ((origin = ANY (ARRAY['bounce'::text, 'complaint'::text, 'manual'::text, 'unsubscribe'::text])))
);

CREATE TABLE public.throttling_states (
    queue text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    factor double precision NOT NULL,
    until timestamp with time zone NOT NULL,
    decided_at timestamp with time zone NOT NULL,
    words text,
    mx text,
    rule text NOT NULL,
    changed_at timestamp with time zone NOT NULL
);

CREATE TABLE public.tls_reports (
    day date NOT NULL,
    policy_domain text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    attempts smallint DEFAULT 1 NOT NULL,
    attempted_at timestamp with time zone DEFAULT now() NOT NULL,
    detail text,
    CONSTRAINT tls_reports_state_check CHECK ((state = ANY (ARRAY['claimed'::text, 'sent'::text, 'not_requested'::text, 'failed'::text])))
);

CREATE TABLE public.tls_results (
    day date NOT NULL,
    policy_domain text NOT NULL COLLATE pg_catalog."C",
    result_hash bytea NOT NULL,
    result jsonb NOT NULL,
    sessions integer NOT NULL
);

CREATE TABLE public.warmup_counts (
    source text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    sent integer NOT NULL
);

CREATE TABLE public.webhook_attempts (
    id text NOT NULL COLLATE pg_catalog."C",
    delivery_id text NOT NULL COLLATE pg_catalog."C",
    webhook_id text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    status integer,
    error text,
    latency_ms integer NOT NULL,
    response text,
    started_at timestamp with time zone NOT NULL
);

CREATE TABLE public.webhook_deliveries (
    id text NOT NULL COLLATE pg_catalog."C",
    webhook_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    event_type text NOT NULL,
    sequence integer NOT NULL,
    body text NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    attempts_before_replay integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    claimed_by text COLLATE pg_catalog."C",
    fence integer DEFAULT 0 NOT NULL,
    last_status integer,
    last_error text,
    last_latency_ms integer,
    last_response text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

CREATE TABLE public.webhooks (
    id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    events text[] NOT NULL,
    domain_ids text[],
    payload_format text DEFAULT 'native'::text NOT NULL,
    status text DEFAULT 'enabled'::text NOT NULL,
    disabled_reason text,
    failing_since timestamp with time zone,
    secret_sealed bytea NOT NULL,
    previous_secret_sealed bytea,
    previous_secret_until timestamp with time zone,
    sequence integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT webhooks_payload_format_check CHECK ((payload_format = ANY (ARRAY['native'::text, 'resend'::text]))),
    CONSTRAINT webhooks_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text])))
);

CREATE TABLE public.workers (
    id text NOT NULL COLLATE pg_catalog."C",
    program text NOT NULL,
    data_dir text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY public.schema_migrations ALTER COLUMN id SET DEFAULT nextval('public.schema_migrations_id_seq'::regclass);

INSERT INTO public.accounts VALUES ('acc_01a1f0000000700080000000000000a1', 'Shop', 'active', 'unlimited', 0, '2026-01-02 03:04:05+00');
INSERT INTO public.accounts VALUES ('acc_01a1f0000000700080000000000000a2', 'Blog', 'overdue', 'free', 2, '2026-01-03 03:04:05+00');

INSERT INTO public.allowances VALUES ('acc_01a1f0000000700080000000000000a2', '2026-01-01', 3000, 2500, 80);
INSERT INTO public.allowances VALUES ('acc_01a1f0000000700080000000000000a2', '2026-02-01', 3000, 1, 0);

INSERT INTO public.api_keys VALUES ('key_01a1f0000000700080000000000000b1', 'acc_01a1f0000000700080000000000000a1', 'first key', '\x01', 'pl_live_…abcd', 'live', 'full_access', NULL, NULL, NULL, true, false, NULL, NULL, '2026-02-01 00:00:00+00', '2026-01-02 03:04:06+00');
INSERT INTO public.api_keys VALUES ('key_01a1f0000000700080000000000000b2', 'acc_01a1f0000000700080000000000000a2', 'read only', '\x02', 'pl_test_…efgh', 'test', NULL, '{emails:read,domains:read}', '{dom_01a1f0000000700080000000000000c1}', '{192.0.2.0/24}', false, true, '2027-01-01 00:00:00+00', '2026-02-02 00:00:00+00', NULL, '2026-01-03 03:04:06+00');

INSERT INTO public.attempts VALUES ('att_01a1f000000070008000000000000040', 'em_01a1f000000070008000000000000010', 0, 1, 'delivered', 'data', 250, '2.0.0', '250 2.0.0 OK', 'mx.example.net', '192.0.2.25', 'TLSv1.3', 'TLS_AES_256_GCM_SHA384', true, 'dane', '192.0.2.1', 'example', '[{"mx": "mx1.example.net", "reason": "connection refused"}]', '2026-02-01 00:00:01+00', '2026-02-01 00:00:02+00');
INSERT INTO public.attempts VALUES ('att_01a1f000000070008000000000000041', 'em_01a1f000000070008000000000000011', 0, 1, 'deferred', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-02-01 00:00:01+00', '2026-02-01 00:00:31+00');

INSERT INTO public.audit_log VALUES ('aud_01a1f0000000700080000000000000d1', 'acc_01a1f0000000700080000000000000a1', 'key_01a1f0000000700080000000000000b1', 'suppression.removed', 'sup_01a1f0000000700080000000000000e1', '{"email": "a@example.net", "force": false}', '2026-02-01 00:00:00+00');
INSERT INTO public.audit_log VALUES ('aud_01a1f0000000700080000000000000d2', 'acc_01a1f0000000700080000000000000a1', 'operator', 'domain.removed', 'dom_01a1f0000000700080000000000000c2', '{}', '2026-02-02 00:00:00+00');

INSERT INTO public.captured_messages VALUES ('cap_01a1f000000070008000000000000030', 'acc_01a1f0000000700080000000000000a1', 'em_01a1f000000070008000000000000010', 'b+1@bounces.postloft.test', '{ann@example.net}', 12, '\x5375626a6563743a200d0a', '2026-02-01 00:00:00+00');
INSERT INTO public.captured_messages VALUES ('cap_01a1f000000070008000000000000031', 'acc_01a1f0000000700080000000000000a1', 'em_01a1f000000070008000000000000010', '', '{a@example.net,b@example.net}', 1, '\x0a', '2026-02-01 00:00:00+00');

INSERT INTO public.consumer_positions VALUES ('webhooks', 2, '2026-02-01 00:00:02+00');
INSERT INTO public.consumer_positions VALUES ('stats:8f14e45f', 1, '2026-02-01 00:00:02+00');

INSERT INTO public.domain_keys VALUES ('dom_01a1f0000000700080000000000000c1', 'rsa', 'rsa', 'plaaaaaaaa', 'MIIB', '\x0102', 'active', '2026-01-30 00:00:00+00', '2026-01-31 00:00:00+00', '2026-01-31 00:00:00+00', NULL);
INSERT INTO public.domain_keys VALUES ('dom_01a1f0000000700080000000000000c1', 'ed25519', 'ed25519', 'plaaaaaaaae', 'MCow', '\x0304', 'retired', '2026-01-30 00:00:00+00', NULL, NULL, '2026-03-01 00:00:00+00');

INSERT INTO public.domains VALUES ('dom_01a1f0000000700080000000000000c1', 'acc_01a1f0000000700080000000000000a1', 'shop.example', 'active', false, 'plaaaaaaaa', true, true, 'enforced', '[{"record": "SPF", "status": "verified"}]', '2026-02-01 00:00:00+00', '2026-01-31 00:00:00+00', '2026-01-31 00:01:00+00', '2026-02-01 00:00:00+00', '2026-02-01 00:05:00+00', 7, 3, '2026-01-30 00:00:00+00', '2026-02-01 00:00:00+00');
INSERT INTO public.domains VALUES ('dom_01a1f0000000700080000000000000c3', 'acc_01a1f0000000700080000000000000a2', 'bücher.example', 'pending', true, 'plbbbbbbbb', false, false, 'opportunistic', '[]', NULL, NULL, NULL, NULL, NULL, 0, 0, '2026-01-30 00:00:00+00', '2026-01-30 00:00:00+00');

INSERT INTO public.email_contents VALUES ('em_01a1f000000070008000000000000010', 'parts', '\x7b7d');
INSERT INTO public.email_contents VALUES ('em_01a1f000000070008000000000000011', 'mime', '\x5375626a6563743a200d0a0d0a');

INSERT INTO public.email_tags VALUES ('acc_01a1f0000000700080000000000000a1', 'type', 'order', 'em_01a1f000000070008000000000000010');
INSERT INTO public.email_tags VALUES ('acc_01a1f0000000700080000000000000a1', 'type', 'order', 'em_01a1f000000070008000000000000012');

INSERT INTO public.emails VALUES ('em_01a1f000000070008000000000000010', 'acc_01a1f0000000700080000000000000a1', 'dom_01a1f0000000700080000000000000c1', 'live', 'api', 'delivered', 'delivered', true, DEFAULT, 'Shop <hello@shop.example>', 'hello@shop.example', '{"Ann <ann@example.net>"}', '{}', '{}', '{}', 'Your order “12”', '{"type": "order"}', '<1@shop.example>', 1234, 1, 1, 3, NULL, NULL, NULL, NULL, '2026-02-01 00:00:00+00', '2026-02-01 00:00:02+00', NULL, '2026-02-01 00:00:02+00');
INSERT INTO public.emails VALUES ('em_01a1f000000070008000000000000011', 'acc_01a1f0000000700080000000000000a2', 'dom_01a1f0000000700080000000000000c3', 'test', 'smtp', 'scheduled', 'scheduled', false, DEFAULT, 'post@xn--bcher-kva.example', 'post@xn--bcher-kva.example', '{a@example.net,b@example.net}', '{c@example.net}', '{d@example.net}', '{r@example.net}', '', '{}', '<2@xn--bcher-kva.example>', 99, 4, 4, 1, 3600, 'bounced', 'em_01a1f000000070008000000000000010', '{"mailto": "u@shop.example"}', '2026-02-01 00:00:00+00', '2026-02-01 00:00:00+00', '2026-02-03 00:00:00+00', NULL);

INSERT INTO public.event_log VALUES (1, 'evt_01a1f000000070008000000000000063', 'em_01a1f000000070008000000000000010', 1, 'acc_01a1f0000000700080000000000000a1', 'dom_01a1f0000000700080000000000000c1', 'email.queued', false, '2026-02-01 00:00:00+00', '{"email_id": "em_01a1f000000070008000000000000010",  "n": 1.0}');
INSERT INTO public.event_log VALUES (2, 'evt_01a1f000000070008000000000000064', 'wh_01a1f000000070008000000000000070', 1, 'acc_01a1f0000000700080000000000000a1', NULL, 'webhook.disabled', false, '2026-02-01 00:00:01+00', '{}');

INSERT INTO public.event_log_head VALUES (true, 2);

INSERT INTO public.full_mailboxes VALUES ('acc_01a1f0000000700080000000000000a1', -5, '{em_01a1f000000070008000000000000010}', '2026-02-01 00:00:00+00', '2026-02-01 00:00:00+00');
INSERT INTO public.full_mailboxes VALUES ('acc_01a1f0000000700080000000000000a2', 9, '{em_1,em_2,em_3}', '2026-01-01 00:00:00+00', '2026-02-01 00:00:00+00');

INSERT INTO public.idempotency_keys VALUES ('acc_01a1f0000000700080000000000000a1:emails', 'key-1', '\xff00', '{"id": "em_01a1f000000070008000000000000010"}', '2026-02-01 00:00:00+00');
INSERT INTO public.idempotency_keys VALUES ('acc_01a1f0000000700080000000000000a1:batch', 'key-1', '\xff01', '[]', '2026-02-01 00:00:00+00');

INSERT INTO public.inbound_messages VALUES ('inb_01a1f000000070008000000000000050', '2026-02-01 00:00:00+00', '', '{b+1@bounces.postloft.test}', '192.0.2.26', 'Undelivered', 'unreadable', 'The report has no final recipient.', 'em_01a1f000000070008000000000000010', 3, '\x0d0a0d');
INSERT INTO public.inbound_messages VALUES ('inb_01a1f000000070008000000000000051', '2026-02-01 00:00:01+00', 'x@example.net', '{postmaster@postloft.test}', '2001:db8::1', NULL, 'for_operator', NULL, NULL, 1, '\x0a');

INSERT INTO public.outbox OVERRIDING SYSTEM VALUE VALUES (1, '{evt_01a1f000000070008000000000000060,evt_01a1f000000070008000000000000061}', '{em_01a1f000000070008000000000000010,acc_01a1f0000000700080000000000000a2}', '{3,2}', '{acc_01a1f0000000700080000000000000a1,acc_01a1f0000000700080000000000000a2}', '{dom_01a1f0000000700080000000000000c1,NULL}', '{email.delivered,account.allowance_warning}', '{f,t}', '{"2026-02-01 00:00:02+00","2026-02-01 00:00:03+00"}', '{"{\"recipient\": \"\\\"ann\\\" {x}, NULL\"}","{}"}');
INSERT INTO public.outbox OVERRIDING SYSTEM VALUE VALUES (2, '{evt_01a1f000000070008000000000000062}', '{em_01a1f000000070008000000000000011}', '{1}', '{acc_01a1f0000000700080000000000000a2}', '{NULL}', '{email.scheduled}', '{t}', '{"2026-02-01 00:00:00+00"}', '{"{}"}');

INSERT INTO public.rate_buckets VALUES ('acc_01a1f0000000700080000000000000a1', 99.5, 10, '2026-02-01 00:00:00+00');
INSERT INTO public.rate_buckets VALUES ('acc_01a1f0000000700080000000000000a2', 0, 0, '2026-02-01 00:00:01+00');

INSERT INTO public.recipients VALUES ('em_01a1f000000070008000000000000010', 0, 'ann@example.net', 'example.net', -5, 'to', 'delivered', 1, NULL, NULL, '2026-02-04 00:00:00+00', NULL, 1, NULL, 250, '2.0.0', '250 2.0.0 OK', 'mx.example.net', '192.0.2.25', 'TLSv1.3', '2026-02-05 00:00:00+00');
INSERT INTO public.recipients VALUES ('em_01a1f000000070008000000000000011', 0, 'a@example.net', 'example.net', 6, 'to', 'queued', 1, '2026-02-01 00:10:00+00', true, '2026-02-04 00:00:00+00', NULL, 2, '{"mx": null, "kind": "rate", "text": "This queue is limited.", "queue": "domain:example.net", "words": null, "source": null}', 451, '4.7.0', '451 4.7.0 later', NULL, NULL, NULL, NULL);
INSERT INTO public.recipients VALUES ('em_01a1f000000070008000000000000011', 1, 'b@example.net', 'example.net', 7, 'to', 'sending', 0, '2026-02-01 00:10:00+00', NULL, '2026-02-04 00:00:00+00', 'wrk_01a1f000000070008000000000000020', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

INSERT INTO public.request_log VALUES ('req_01a1f0000000700080000000000000f1', 'acc_01a1f0000000700080000000000000a1', 'key_01a1f0000000700080000000000000b1', 'r-1', 'POST', '/emails', 201, NULL, 'curl/8', '192.0.2.1', 4, '2026-02-01 00:00:00+00');
INSERT INTO public.request_log VALUES ('req_01a1f0000000700080000000000000f2', 'acc_01a1f0000000700080000000000000a1', 'key_01a1f0000000700080000000000000b1', 'r-2', 'POST', '/emails', 400, 'validation_error', NULL, NULL, 1, '2026-02-01 00:00:01+00');

INSERT INTO public.schema_migrations VALUES (1, 1700000000001, 'Initial1700000000001');

INSERT INTO public.sink_batches VALUES ('stats:8f14e45f:log', 1, 2, '2026-02-01 00:00:02+00');
INSERT INTO public.sink_batches VALUES ('stats:8f14e45f:0', 1, 1, '2026-02-01 00:00:02+00');

INSERT INTO public.sts_policies VALUES ('example.net', '20260101', '{"mx": ["*.example.net"], "mode": "enforce", "maxAgeSeconds": 86400}', '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00');
INSERT INTO public.sts_policies VALUES ('example.org', '1', '{"mx": [], "mode": "none", "maxAgeSeconds": 60}', '2026-02-01 00:00:00+00', '2026-02-01 00:01:00+00');

INSERT INTO public.suppression_domains VALUES ('acc_01a1f0000000700080000000000000a1', 'old.example', 'dom_01a1f0000000700080000000000000c2');
INSERT INTO public.suppression_domains VALUES ('acc_01a1f0000000700080000000000000a2', 'old.example', 'dom_01a1f0000000700080000000000000c4');

INSERT INTO public.suppressions VALUES ('sup_01a1f0000000700080000000000000e1', 'acc_01a1f0000000700080000000000000a1', NULL, 'gone@example.net', 'bounce', '550 5.1.1 no such user', 'em_01a1f000000070008000000000000010', '{"mx": "mx.example.net", "smtp_code": 550}', NULL, '2026-02-01 00:00:00+00');
INSERT INTO public.suppressions VALUES ('sup_01a1f0000000700080000000000000e2', 'acc_01a1f0000000700080000000000000a1', 'dom_01a1f0000000700080000000000000c1', 'gone@example.net', 'manual', NULL, NULL, NULL, '2026-03-01 00:00:00+00', '2026-02-01 00:00:01+00');

INSERT INTO public.throttling_states VALUES ('domain:example.net', '', 'slow_down', 0.5, '2026-02-01 01:00:00+00', '2026-02-01 00:00:00+00', '421 4.7.0 too fast', 'mx.example.net', 'example: 421', '2026-02-01 00:00:00+00');
INSERT INTO public.throttling_states VALUES ('provider:example', '192.0.2.1', 'suspended', 0, '2026-02-01 01:00:00+00', '2026-02-01 00:00:00+00', NULL, NULL, 'by hand', '2026-02-01 00:00:00+00');

INSERT INTO public.tls_reports VALUES ('2026-01-31', 'example.net', 'sent', 1, '2026-02-01 04:00:00+00', NULL);
INSERT INTO public.tls_reports VALUES ('2026-01-31', 'example.org', 'not_requested', 2, '2026-02-01 05:00:00+00', 'no record');

INSERT INTO public.tls_results VALUES ('2026-02-01', 'example.net', '\xaa', '{"policyType": "sts", "policyDomain": "example.net"}', 3);
INSERT INTO public.tls_results VALUES ('2026-02-01', 'example.net', '\xbb', '{"policyType": "tlsa", "policyDomain": "example.net"}', 1);

INSERT INTO public.warmup_counts VALUES ('192.0.2.1', 'example', '2026-02-01', 50);
INSERT INTO public.warmup_counts VALUES ('192.0.2.1', 'example', '2026-02-02', 100);

INSERT INTO public.webhook_attempts VALUES ('atm_01a1f000000070008000000000000090', 'dlv_01a1f000000070008000000000000080', 'wh_01a1f000000070008000000000000071', 1, 500, 'status 500', 12, 'Internal Server Error', '2026-02-01 00:00:00+00');
INSERT INTO public.webhook_attempts VALUES ('atm_01a1f000000070008000000000000091', 'dlv_01a1f000000070008000000000000081', 'wh_01a1f000000070008000000000000070', 1, NULL, 'timeout', 15000, NULL, '2026-02-01 00:00:00+00');

INSERT INTO public.webhook_deliveries VALUES ('dlv_01a1f000000070008000000000000080', 'wh_01a1f000000070008000000000000071', 'acc_01a1f0000000700080000000000000a2', 'evt_01a1f000000070008000000000000062', 'email.scheduled', 1, '{"type":"email.scheduled"}', 'pending', 2, 1, '2026-02-01 00:05:00+00', NULL, 2, 500, 'status 500', 12, 'Internal Server Error', '2026-02-01 00:00:00+00', '2026-02-01 00:00:10+00');
INSERT INTO public.webhook_deliveries VALUES ('dlv_01a1f000000070008000000000000081', 'wh_01a1f000000070008000000000000070', 'acc_01a1f0000000700080000000000000a1', 'evt_01a1f000000070008000000000000063', 'email.queued', 1, '{}', 'delivered', 1, 0, NULL, NULL, 1, 200, NULL, 5, '', '2026-02-01 00:00:00+00', '2026-02-01 00:00:01+00');

INSERT INTO public.webhooks VALUES ('wh_01a1f000000070008000000000000070', 'acc_01a1f0000000700080000000000000a1', 'https://shop.example/hook', '{email.delivered,email.bounced}', '{dom_01a1f0000000700080000000000000c1}', 'native', 'disabled', 'failing', '2026-01-29 00:00:00+00', '\x0506', '\x0708', '2026-02-02 00:00:00+00', 1, '2026-01-02 00:00:00+00', '2026-02-01 00:00:00+00');
INSERT INTO public.webhooks VALUES ('wh_01a1f000000070008000000000000071', 'acc_01a1f0000000700080000000000000a2', 'https://blog.example/hook', '{*}', NULL, 'resend', 'enabled', NULL, NULL, '\x090a', NULL, NULL, 0, '2026-01-02 00:00:00+00', '2026-01-02 00:00:00+00');

INSERT INTO public.workers VALUES ('wrk_01a1f000000070008000000000000020', 'standalone', '/data', '2026-02-01 00:00:00+00', '2026-02-01 00:00:05+00');
INSERT INTO public.workers VALUES ('wrk_01a1f000000070008000000000000021', 'delivery', '/data', '2026-02-01 00:00:00+00', '2026-02-01 00:00:05+00');

SELECT pg_catalog.setval('public.outbox_id_seq', 2, true);

SELECT pg_catalog.setval('public.schema_migrations_id_seq', 1, true);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT "PK_62441bec32630ced9e4cccae336" PRIMARY KEY (id);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.allowances
    ADD CONSTRAINT allowances_pkey PRIMARY KEY (account_id, month);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_fingerprint_key UNIQUE (fingerprint);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.captured_messages
    ADD CONSTRAINT captured_messages_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.consumer_positions
    ADD CONSTRAINT consumer_positions_pkey PRIMARY KEY (consumer);

ALTER TABLE ONLY public.domain_keys
    ADD CONSTRAINT domain_keys_domain_id_algorithm_state_key UNIQUE (domain_id, algorithm, state);

ALTER TABLE ONLY public.domain_keys
    ADD CONSTRAINT domain_keys_domain_id_selector_key UNIQUE (domain_id, selector);

ALTER TABLE ONLY public.domain_keys
    ADD CONSTRAINT domain_keys_pkey PRIMARY KEY (domain_id, id);

ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_account_id_name_key UNIQUE (account_id, name);

ALTER TABLE ONLY public.domains
    ADD CONSTRAINT domains_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.email_contents
    ADD CONSTRAINT email_contents_pkey PRIMARY KEY (email_id);

ALTER TABLE ONLY public.email_tags
    ADD CONSTRAINT email_tags_pkey PRIMARY KEY (account_id, key, value, email_id);

ALTER TABLE ONLY public.emails
    ADD CONSTRAINT emails_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.event_log_head
    ADD CONSTRAINT event_log_head_pkey PRIMARY KEY (single);

ALTER TABLE ONLY public.event_log
    ADD CONSTRAINT event_log_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY public.full_mailboxes
    ADD CONSTRAINT full_mailboxes_pkey PRIMARY KEY (account_id, recipient_key);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (scope, key);

ALTER TABLE ONLY public.inbound_messages
    ADD CONSTRAINT inbound_messages_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.rate_buckets
    ADD CONSTRAINT rate_buckets_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.recipients
    ADD CONSTRAINT recipients_pkey PRIMARY KEY (email_id, ordinal);

ALTER TABLE ONLY public.request_log
    ADD CONSTRAINT request_log_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.sink_batches
    ADD CONSTRAINT sink_batches_pkey PRIMARY KEY (source);

ALTER TABLE ONLY public.sts_policies
    ADD CONSTRAINT sts_policies_pkey PRIMARY KEY (domain);

ALTER TABLE ONLY public.suppression_domains
    ADD CONSTRAINT suppression_domains_pkey PRIMARY KEY (account_id, name);

ALTER TABLE ONLY public.suppressions
    ADD CONSTRAINT suppressions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.throttling_states
    ADD CONSTRAINT throttling_states_pkey PRIMARY KEY (queue, source, kind);

ALTER TABLE ONLY public.tls_reports
    ADD CONSTRAINT tls_reports_pkey PRIMARY KEY (day, policy_domain);

ALTER TABLE ONLY public.tls_results
    ADD CONSTRAINT tls_results_pkey PRIMARY KEY (day, policy_domain, result_hash);

ALTER TABLE ONLY public.warmup_counts
    ADD CONSTRAINT warmup_counts_pkey PRIMARY KEY (source, provider, day);

ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_webhook_id_event_id_key UNIQUE (webhook_id, event_id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);

CREATE INDEX api_keys_account ON public.api_keys USING btree (account_id);

CREATE INDEX api_keys_checksum_exempt ON public.api_keys USING btree (fingerprint) WHERE checksum_exempt;

CREATE INDEX attempts_email ON public.attempts USING btree (email_id);

CREATE INDEX audit_log_account ON public.audit_log USING btree (account_id, id);

CREATE INDEX captured_messages_account ON public.captured_messages USING btree (account_id, id);

CREATE INDEX captured_messages_email ON public.captured_messages USING btree (email_id);

CREATE INDEX domains_due ON public.domains USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX domains_name ON public.domains USING btree (name);

CREATE UNIQUE INDEX domains_one_active_owner ON public.domains USING btree (name) WHERE (status = 'active'::text);

CREATE INDEX emails_account ON public.emails USING btree (account_id, id);

CREATE INDEX emails_by_domain ON public.emails USING btree (domain_id, id);

CREATE INDEX emails_by_sender ON public.emails USING btree (sender_address, account_id, id);

CREATE INDEX emails_by_state ON public.emails USING btree (account_id, state, id);

CREATE INDEX emails_by_subject ON public.emails USING btree ("left"(id, 9), account_id, lower("left"(subject, 64)) COLLATE "C", id);

CREATE INDEX emails_scheduled ON public.emails USING btree (account_id, id) WHERE (scheduled_at IS NOT NULL);

CREATE INDEX event_log_account ON public.event_log USING btree (account_id, "position");

CREATE INDEX event_log_event ON public.event_log USING btree (event_id);

CREATE INDEX event_log_key ON public.event_log USING btree (key, "position");

CREATE INDEX full_mailboxes_age ON public.full_mailboxes USING btree (last_at);

CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');

CREATE INDEX recipients_claimed ON public.recipients USING btree (claimed_by) WHERE (claimed_by IS NOT NULL);

CREATE INDEX recipients_due ON public.recipients USING btree (domain, due_at) WHERE ((due_at IS NOT NULL) AND (claimed_by IS NULL) AND is_due);

CREATE INDEX recipients_requeued ON public.recipients USING btree (email_id) WHERE ((claimed_by IS NULL) AND (due_at IS NOT NULL) AND (attempts = 0) AND (fence > 0));

CREATE INDEX recipients_search ON public.recipients USING btree (search_key, email_id);

CREATE INDEX recipients_wait_queue ON public.recipients USING btree (((wait_reason ->> 'queue'::text))) WHERE ((wait_reason IS NOT NULL) AND (claimed_by IS NULL));

CREATE INDEX recipients_waiting ON public.recipients USING btree (due_at) WHERE ((due_at IS NOT NULL) AND (claimed_by IS NULL) AND (is_due IS NULL));

CREATE INDEX request_log_age ON public.request_log USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');

CREATE INDEX request_log_errors ON public.request_log USING btree (account_id, ((status / 100)), id) WHERE (status >= 400);

CREATE INDEX sts_policies_expiry ON public.sts_policies USING btree (expires_at);

CREATE INDEX suppressions_account ON public.suppressions USING btree (account_id, id);

CREATE UNIQUE INDEX suppressions_address ON public.suppressions USING btree (account_id, address, COALESCE(domain_id, ''::text)) INCLUDE (id, origin, domain_id, expires_at);

CREATE INDEX suppressions_domain ON public.suppressions USING btree (account_id, domain_id, id) WHERE (domain_id IS NOT NULL);

CREATE INDEX suppressions_host ON public.suppressions USING btree (account_id, split_part(address, '@'::text, 2), id);

CREATE INDEX suppressions_origin ON public.suppressions USING btree (account_id, origin, id);

CREATE INDEX throttling_states_changed ON public.throttling_states USING btree (changed_at);

CREATE INDEX warmup_counts_day ON public.warmup_counts USING btree (day);

CREATE INDEX webhook_attempts_delivery ON public.webhook_attempts USING btree (delivery_id, id);

CREATE INDEX webhook_deliveries_age ON public.webhook_deliveries USING btree (created_at);

CREATE INDEX webhook_deliveries_claimed ON public.webhook_deliveries USING btree (claimed_by) WHERE (claimed_by IS NOT NULL);

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (webhook_id, due_at) WHERE ((due_at IS NOT NULL) AND (claimed_by IS NULL));

CREATE INDEX webhook_deliveries_filtered ON public.webhook_deliveries USING btree (webhook_id, status, event_type, id);

CREATE INDEX webhook_deliveries_webhook ON public.webhook_deliveries USING btree (webhook_id, id);

CREATE INDEX webhooks_account ON public.webhooks USING btree (account_id, id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.domain_keys
    ADD CONSTRAINT domain_keys_domain_id_fkey FOREIGN KEY (domain_id) REFERENCES public.domains(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.suppression_domains
    ADD CONSTRAINT suppression_domains_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;

