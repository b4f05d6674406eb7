/** Table of `libs/bus`: how the work of a consumer of the event log is divided among processes. */
export const CONSUMER_SHARDS = {
  name: 'ConsumerShards1700000000035',
  statements: [
    `-- partitions: of the topic whose keys the shards divide; 0 without a topic.
     CREATE TABLE consumer_shards (
       consumer text COLLATE "C" PRIMARY KEY,
       shards int NOT NULL DEFAULT 1,
       partitions int NOT NULL DEFAULT 0
     )`,
  ],
};
