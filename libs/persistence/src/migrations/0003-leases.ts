/** Table of `libs/bus`: which process may move the outbox, or advance the position of a consumer. */
export const LEASES = {
  name: 'Leases1700000000003',
  statements: [
    `-- fence: increases with each owner; every write that only the owner may make compares it.
     CREATE TABLE leases (
       name text COLLATE "C" PRIMARY KEY,
       owner text COLLATE "C",
       fence bigint NOT NULL DEFAULT 1,
       heartbeat_at timestamptz NOT NULL DEFAULT now()
     ) WITH (fillfactor = 50)`,
  ],
};
