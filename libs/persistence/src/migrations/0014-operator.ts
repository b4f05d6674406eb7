/** Where a recorded action came from (`libs/accounts`), and runs of the doctor (`libs/doctor`). */
export const OPERATOR = {
  name: 'Operator1700000000014',
  statements: [
    `ALTER TABLE audit_log ADD ip text`,
    `-- checks: the names of the checks of the run. results: the results of the checks that have ended, in any order.
     CREATE TABLE doctor_runs (
       id text COLLATE "C" PRIMARY KEY,
       requested_by text COLLATE "C" NOT NULL,
       domain text,
       checks text[] NOT NULL,
       ended text[] NOT NULL DEFAULT '{}',
       results jsonb NOT NULL DEFAULT '[]',
       started_at timestamptz NOT NULL DEFAULT now(),
       finished_at timestamptz
     )`,
  ],
};
