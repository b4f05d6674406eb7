/** Contents of emails outside of the database, to which their rows point. See docs/content-store.md. */
export const CONTENT_STORE = {
  name: 'ContentStore1700000000039',
  statements: [
    `ALTER TABLE email_contents
       ALTER body DROP NOT NULL,
       ADD segment text COLLATE "C",
       ADD position int,
       ADD bytes int,
       ADD checksum int,
       ADD CONSTRAINT email_contents_place CHECK (
         (body IS NULL) = (segment IS NOT NULL AND position IS NOT NULL AND bytes IS NOT NULL AND checksum IS NOT NULL)) NOT VALID`,
    // Contents whose rows are deleted and whose bytes are still to be erased.
    `CREATE TABLE content_erasures (
       segment text COLLATE "C" NOT NULL,
       position int NOT NULL,
       bytes int NOT NULL,
       checksum int NOT NULL,
       PRIMARY KEY (segment, position)
     )`,
  ],
};
