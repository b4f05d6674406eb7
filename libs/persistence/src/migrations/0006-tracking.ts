/** Columns of `libs/domains`, `libs/emails` and `libs/webhooks` for open and click tracking, and the visits per recipient. */
export const TRACKING = {
  name: 'Tracking1700000000006',
  statements: [
    // tracking_exclude: patterns of links that are not tracked.
    `ALTER TABLE domains
       ADD tracking_privacy boolean NOT NULL DEFAULT false,
       ADD tracking_exclude text[] NOT NULL DEFAULT '{}'`,
    // tracking: {"opens": boolean, "clicks": boolean}, as decided when the message was accepted; NULL: neither.
    `ALTER TABLE emails ADD tracking jsonb, ALTER COLUMN tracking SET STATISTICS 0`,
    `-- One row per recipient with a visit. Visits of bots are counted on their own; the times are those of people.
     CREATE TABLE recipient_visits (
       email_id text COLLATE "C" NOT NULL,
       ordinal smallint NOT NULL,
       opens integer NOT NULL DEFAULT 0,
       bot_opens integer NOT NULL DEFAULT 0,
       first_opened_at timestamptz,
       last_opened_at timestamptz,
       clicks integer NOT NULL DEFAULT 0,
       bot_clicks integer NOT NULL DEFAULT 0,
       first_clicked_at timestamptz,
       last_clicked_at timestamptz,
       PRIMARY KEY (email_id, ordinal)
     ) WITH (fillfactor = 80)`,
    // Whether the endpoint receives the opens and clicks of bots.
    `ALTER TABLE webhooks ADD include_bots boolean NOT NULL DEFAULT false`,
  ],
};
