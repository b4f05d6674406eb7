/**
 * Tables of `libs/emails`. emails, recipients and email_contents are written by one statement of one library; foreign
 * keys between them would cost a check per row.
 */
export const EMAILS = `
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
`;
