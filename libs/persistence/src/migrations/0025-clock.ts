/** Tables of `libs/persistence` for the clock of the database as the service has seen it. */
export const CLOCK = {
  name: 'Clock1700000000025',
  statements: [
    `-- seen_at: the last reading, at most about a minute old while a program runs. trusted_at: the latest reading that came within a
     -- day of the one before. suspect_from: the first reading after a greater jump ahead; NULL: none.
     CREATE TABLE clock_state (
       single boolean PRIMARY KEY DEFAULT true CHECK (single),
       seen_at timestamptz NOT NULL,
       trusted_at timestamptz NOT NULL,
       suspect_from timestamptz
     )`,
    'INSERT INTO clock_state (seen_at, trusted_at) VALUES (clock_timestamp(), clock_timestamp())',
    `-- The clock was set back: rows that were made after set_back_to may have ids and positions of times up to ahead_until.
     CREATE TABLE clock_steps (
       ahead_until timestamptz PRIMARY KEY,
       set_back_to timestamptz NOT NULL
     )`,
  ],
};
