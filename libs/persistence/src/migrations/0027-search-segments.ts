/** The search of `libs/emails`: what runs of emails contain. */
export const SEARCH_SEGMENTS = {
  name: 'SearchSegments1700000000027',
  statements: [
    // A run of consecutive emails of an account. trigrams is a bitmap of hashed trigrams of their texts. An
    // email that is deleted leaves its bits. Two rows fit a page.
    `CREATE TABLE search_segments (
       account_id text COLLATE "C" NOT NULL,
       last_id text COLLATE "C" NOT NULL,
       first_id text COLLATE "C" NOT NULL,
       trigrams bytea NOT NULL,
       PRIMARY KEY (account_id, last_id)
     )`,
    `ALTER TABLE search_segments ALTER trigrams SET STORAGE PLAIN`,
    `CREATE INDEX search_segments_expiry ON search_segments (last_id)`,
  ],
};
