/** Columns of `libs/accounts`: who receives notices, and whether sending is paused. */
export const BRAKES = {
  name: 'Brakes1700000000008',
  statements: [
    // sending_pause: see SendingPause in libs/accounts; NULL: not paused.
    `ALTER TABLE accounts
       ADD notify_addresses text[] NOT NULL DEFAULT '{}',
       ADD sending_pause jsonb`,
  ],
};
