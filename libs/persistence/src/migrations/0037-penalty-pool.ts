/** Columns of `libs/accounts` for the penalty pool and for limits of single accounts. */
export const PENALTY_POOL = {
  name: 'PenaltyPool1700000000037',
  statements: [
    // penalty: see AccountPenalty in libs/accounts; NULL: the account's mail leaves from the ordinary addresses.
    // abuse_limits: limits that replace those of the settings, see AbuseLimits in libs/accounts.
    `ALTER TABLE accounts
       ADD pool_choice text NOT NULL DEFAULT 'auto' CHECK (pool_choice IN ('auto', 'penalty', 'default')),
       ADD penalty jsonb,
       ADD abuse_limits jsonb NOT NULL DEFAULT '{}'`,
    `CREATE INDEX accounts_penalised ON accounts (id) WHERE penalty IS NOT NULL`,
    // Replies that refuse or defer a message because of its content or its sender's reputation.
    `ALTER TABLE sending_outcomes ADD blocks bigint NOT NULL DEFAULT 0`,
  ],
};
