/** Tables of `libs/bus`: what the statistics store is known to have had, so that rows that it lost are noticed. */
export const STATISTICS_RECORD = {
  name: 'StatisticsRecord1700000000022',
  statements: [
    `-- Numbers of events of a day in UTC: stored, counted in roll-ups, and their values in the roll-ups by dimension.
     -- incomplete: what the store lacks, as a list of {table, found, expected}; NULL if it lacks nothing.
     CREATE TABLE statistics_days (
       day date PRIMARY KEY,
       stored bigint NOT NULL,
       counted bigint NOT NULL,
       grouped bigint NOT NULL,
       incomplete jsonb,
       incomplete_since timestamptz
     )`,
    `CREATE INDEX statistics_days_incomplete ON statistics_days (day) WHERE incomplete IS NOT NULL`,
    `-- At most one row: the parts of the tables of the store.
     CREATE TABLE statistics_parts (
       is_only_row boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
       parts jsonb NOT NULL,
       written_at timestamptz NOT NULL DEFAULT now()
     )`,
  ],
};
