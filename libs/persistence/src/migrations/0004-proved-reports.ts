/** Columns of `libs/domains` and `libs/inbound` for reports that must be proved before they change a recipient. */
export const PROVED_REPORTS = {
  name: 'ProvedReports1700000000004',
  statements: [
    `ALTER TABLE domains
       ADD envelope text NOT NULL DEFAULT 'shared' CHECK (envelope IN ('shared', 'per_recipient'))`,
    // helo: as the client wrote it. reported: the addresses that the report names.
    `ALTER TABLE inbound_messages
       ADD helo text NOT NULL DEFAULT '',
       ADD reported text[] NOT NULL DEFAULT '{}'`,
  ],
};
