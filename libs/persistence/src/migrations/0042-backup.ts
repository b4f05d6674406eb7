/** Tables of `libs/backup`, and of `libs/queue` for what a restore could not decide. */
export const BACKUP = {
  name: 'Backup1700000000042',
  statements: [
    // The delivery journal that programs write at present. A series is continuous: it has every event since its first one,
    // and every claim. No row: no journal is written.
    `CREATE TABLE journal_series (
       single boolean PRIMARY KEY DEFAULT true CHECK (single),
       series text COLLATE "C" NOT NULL,
       place text NOT NULL,
       position bigint NOT NULL,
       keys_at timestamptz NOT NULL DEFAULT now(),
       started_at timestamptz NOT NULL DEFAULT now()
     )`,
    // Recipients that may have got their email before a restore, and wait for the operator. Their due time is NULL meanwhile.
    `CREATE TABLE held_recipients (
       email_id text COLLATE "C" NOT NULL,
       ordinal smallint NOT NULL,
       due_at timestamptz NOT NULL,
       reason text NOT NULL CHECK (reason IN ('in_flight', 'not_covered')),
       held_at timestamptz NOT NULL DEFAULT now(),
       PRIMARY KEY (email_id, ordinal)
     )`,
  ],
};
