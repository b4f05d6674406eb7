/** Columns of `libs/queue` and `libs/webhooks` by which `libs/bus` finds new rows, and how far it has copied them. */
export const KAFKA_RELAY = {
  name: 'KafkaRelay1700000000009',
  statements: [
    // tx: the transaction that inserted the row. Set by the default, so that existing rows are not rewritten.
    // bounce_class: why the message was not delivered; NULL if it was.
    `ALTER TABLE attempts
       ADD tx xid8,
       ADD bounce_class text,
       ALTER COLUMN tx SET DEFAULT pg_current_xact_id(),
       ALTER COLUMN bounce_class SET STATISTICS 0`,
    `CREATE INDEX attempts_tx ON attempts (tx)`,
    `ALTER TABLE webhook_attempts ADD tx xid8, ALTER COLUMN tx SET DEFAULT pg_current_xact_id()`,
    `CREATE INDEX webhook_attempts_tx ON webhook_attempts (tx)`,
    `-- Rows of transactions visible in done are copied, those visible in target up to (tx, row_id).
     CREATE TABLE relay_positions (
       relay text COLLATE "C" PRIMARY KEY,
       done pg_snapshot NOT NULL,
       target pg_snapshot,
       tx xid8 NOT NULL DEFAULT '0',
       row_id text COLLATE "C" NOT NULL DEFAULT '',
       updated_at timestamptz NOT NULL DEFAULT now()
     )`,
  ],
};
