import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables of the first walk. Ids are text in byte order (`COLLATE "C"`): a UUIDv7 sorts by time that way. The hot
 * tables (emails, recipients, email_contents, outbox) carry no foreign keys: they are written together, in one
 * statement, by one lib, and a check per row would cost more than the insert.
 */
export class FirstWalk0001 implements MigrationInterface {
  readonly name = 'FirstWalk1700000000001';

  async up(db: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await db.query(statement);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of TABLES) await db.query(`DROP TABLE IF EXISTS ${table}`);
  }
}

const TABLES = [
  'accounts',
  'api_keys',
  'domains',
  'suppressions',
  'emails',
  'recipients',
  'email_contents',
  'attempts',
  'idempotency_keys',
  'captured_mails',
  'workers',
  'outbox',
  'event_log',
  'event_log_head',
  'consumer_positions',
  'sink_batches',
  'webhooks',
  'webhook_deliveries',
];

const STATEMENTS = [
  // -- accounts
  `CREATE TABLE accounts (
     id text COLLATE "C" PRIMARY KEY,
     name text NOT NULL,
     standing text NOT NULL DEFAULT 'active' CHECK (standing IN ('active', 'blocked', 'overdue')),
     plan text NOT NULL DEFAULT 'free',
     created_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE TABLE api_keys (
     id text COLLATE "C" PRIMARY KEY,
     account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
     name text NOT NULL,
     fingerprint bytea NOT NULL UNIQUE,
     hint text NOT NULL,
     mode text NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'test')),
     permission text NOT NULL DEFAULT 'full_access',
     checksum_exempt boolean NOT NULL DEFAULT false,
     expires_at timestamptz,
     revoked_at timestamptz,
     last_used_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE INDEX api_keys_account ON api_keys (account_id)`,
  `CREATE INDEX api_keys_checksum_exempt ON api_keys (fingerprint) WHERE checksum_exempt`,
  // -- domains
  `CREATE TABLE domains (
     id text COLLATE "C" PRIMARY KEY,
     account_id text COLLATE "C" NOT NULL,
     name text NOT NULL,
     status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'active', 'failed')),
     vouched boolean NOT NULL DEFAULT false,
     selector text NOT NULL,
     rsa_private_sealed bytea NOT NULL,
     rsa_public text NOT NULL,
     ed25519_private_sealed bytea NOT NULL,
     ed25519_public text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     UNIQUE (account_id, name))`,
  `CREATE UNIQUE INDEX domains_one_active_owner ON domains (name) WHERE status = 'active'`,
  // -- suppressions
  `CREATE TABLE suppressions (
     id text COLLATE "C" PRIMARY KEY,
     account_id text COLLATE "C" NOT NULL,
     address text NOT NULL,
     origin text NOT NULL CHECK (origin IN ('bounce', 'complaint', 'manual', 'unsubscribe')),
     reason text,
     source_id text COLLATE "C",
     expires_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now(),
     UNIQUE (account_id, address))`,
  // -- emails
  `CREATE TABLE emails (
     id text COLLATE "C" PRIMARY KEY,
     account_id text COLLATE "C" NOT NULL,
     domain_id text COLLATE "C" NOT NULL,
     mode text NOT NULL,
     source text NOT NULL,
     status text NOT NULL,
     last_event text NOT NULL,
     sender text NOT NULL,
     header_to text[] NOT NULL,
     header_cc text[] NOT NULL,
     header_bcc text[] NOT NULL,
     reply_to text[] NOT NULL,
     subject text NOT NULL,
     tags jsonb NOT NULL,
     message_id text NOT NULL,
     size integer NOT NULL,
     recipient_count smallint NOT NULL,
     sequence integer NOT NULL,
     created_at timestamptz NOT NULL,
     updated_at timestamptz NOT NULL,
     scheduled_at timestamptz,
     delivered_at timestamptz) WITH (fillfactor = 80)`,
  `CREATE INDEX emails_account ON emails (account_id, id)`,
  `CREATE TABLE recipients (
     email_id text COLLATE "C" NOT NULL,
     ordinal smallint NOT NULL,
     address text NOT NULL,
     domain text NOT NULL,
     type text NOT NULL,
     status text NOT NULL,
     attempts smallint NOT NULL DEFAULT 0,
     due_at timestamptz,
     expires_at timestamptz NOT NULL,
     claimed_by text COLLATE "C",
     fence integer NOT NULL DEFAULT 0,
     smtp_code smallint,
     smtp_enhanced text,
     smtp_text text,
     mx text,
     ip text,
     tls text,
     PRIMARY KEY (email_id, ordinal)) WITH (fillfactor = 70)`,
  `CREATE INDEX recipients_due ON recipients (due_at) WHERE due_at IS NOT NULL AND claimed_by IS NULL`,
  `CREATE INDEX recipients_claimed ON recipients (claimed_by) WHERE claimed_by IS NOT NULL`,
  // The body of a mail: 'mime' is the message as it was relayed, 'parts' is JSON of html, text, headers, attachments.
  `CREATE TABLE email_contents (
     email_id text COLLATE "C" PRIMARY KEY,
     format text NOT NULL CHECK (format IN ('mime', 'parts')),
     body bytea NOT NULL)`,
  // Mail bodies do not get smaller by pglz but cost its time on every insert.
  `ALTER TABLE email_contents ALTER body SET STORAGE EXTERNAL`,
  `CREATE TABLE attempts (
     id text COLLATE "C" PRIMARY KEY,
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
     started_at timestamptz NOT NULL,
     ended_at timestamptz NOT NULL)`,
  `CREATE INDEX attempts_email ON attempts (email_id)`,
  `CREATE TABLE idempotency_keys (
     scope text COLLATE "C" NOT NULL,
     key text COLLATE "C" NOT NULL,
     body_hash bytea NOT NULL,
     response jsonb NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (scope, key))`,
  `CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at)`,
  `CREATE TABLE captured_mails (
     id text COLLATE "C" PRIMARY KEY,
     account_id text COLLATE "C" NOT NULL,
     email_id text COLLATE "C" NOT NULL,
     mail_from text NOT NULL,
     rcpt_to text[] NOT NULL,
     size integer NOT NULL,
     raw bytea NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now())`,
  `ALTER TABLE captured_mails ALTER raw SET STORAGE EXTERNAL`,
  `CREATE INDEX captured_mails_account ON captured_mails (account_id, id)`,
  `CREATE INDEX captured_mails_email ON captured_mails (email_id)`,
  // -- persistence: who works, and what happened
  `CREATE TABLE workers (
     id text COLLATE "C" PRIMARY KEY,
     program text NOT NULL,
     home text NOT NULL,
     started_at timestamptz NOT NULL DEFAULT now(),
     heartbeat_at timestamptz NOT NULL DEFAULT now())`,
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
  // -- bus
  `CREATE TABLE event_log (
     position bigint PRIMARY KEY,
     event_id text COLLATE "C" NOT NULL,
     key text COLLATE "C" NOT NULL,
     sequence integer NOT NULL,
     account_id text COLLATE "C" NOT NULL,
     domain_id text COLLATE "C",
     type text NOT NULL,
     test boolean NOT NULL,
     created_at timestamptz NOT NULL,
     data json NOT NULL)`,
  `CREATE TABLE event_log_head (single boolean PRIMARY KEY DEFAULT true CHECK (single), position bigint NOT NULL)`,
  `INSERT INTO event_log_head (position) VALUES (0)`,
  `CREATE TABLE consumer_positions (
     consumer text COLLATE "C" PRIMARY KEY,
     position bigint NOT NULL,
     updated_at timestamptz NOT NULL DEFAULT now())`,
  // -- stats: the batch that the sink is about to insert, so that a crash repeats exactly it
  `CREATE TABLE sink_batches (
     source text COLLATE "C" PRIMARY KEY,
     first_position bigint NOT NULL,
     last_position bigint NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now())`,
  // -- webhooks
  `CREATE TABLE webhooks (
     id text COLLATE "C" PRIMARY KEY,
     account_id text COLLATE "C" NOT NULL,
     url text NOT NULL,
     events text[] NOT NULL,
     status text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
     secret_sealed bytea NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE INDEX webhooks_account ON webhooks (account_id, id)`,
  `CREATE TABLE webhook_deliveries (
     id text COLLATE "C" PRIMARY KEY,
     webhook_id text COLLATE "C" NOT NULL,
     account_id text COLLATE "C" NOT NULL,
     event_id text COLLATE "C" NOT NULL,
     event_type text NOT NULL,
     sequence integer NOT NULL,
     body text NOT NULL,
     status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
     attempts smallint NOT NULL DEFAULT 0,
     due_at timestamptz,
     claimed_by text COLLATE "C",
     fence integer NOT NULL DEFAULT 0,
     last_status integer,
     last_error text,
     last_latency_ms integer,
     last_answer text,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now(),
     UNIQUE (webhook_id, event_id))`,
  `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE due_at IS NOT NULL AND claimed_by IS NULL`,
  `CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (claimed_by) WHERE claimed_by IS NOT NULL`,
];
