/** Tables of `libs/inbound`. */
export const INBOUND = `
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
`;
