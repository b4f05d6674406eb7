/** The state of the service for its operator. */
export const SERVICE_STATE = {
  name: 'ServiceState1700000000026',
  statements: [
    `-- block_list: the list that has our address, according to the reply; NULL: the reply is about something else.
     ALTER TABLE throttling_states ADD COLUMN block_list text`,
    `-- Bytes that the service occupied, about one row an hour.
     CREATE TABLE size_samples (
       at timestamptz PRIMARY KEY,
       bytes bigint NOT NULL
     )`,
  ],
};
