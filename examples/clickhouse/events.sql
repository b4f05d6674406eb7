-- The topic of events in ClickHouse: what the Kafka engine reads goes through a view into a table of its own.
-- Adapt the list of brokers, and the prefix of the topic if KAFKA_TOPIC_PREFIX is set.

-- One row per record. Reading it directly moves the offsets of the group, so that only the view does.
CREATE TABLE postloft_events_topic
(
    record String
)
ENGINE = Kafka
SETTINGS kafka_broker_list = 'localhost:9092',
         kafka_topic_list = 'postloft.email.events.v1',
         kafka_group_name = 'clickhouse',
         kafka_format = 'JSONAsString';

-- Records may come twice. Copies of an event have equal sorting keys, so that merges keep one of them.
CREATE TABLE postloft_events
(
    id String,
    type LowCardinality(String),
    at DateTime64(3, 'UTC'),
    account_id String,
    domain_id String,
    email_id String,
    sequence UInt32,
    position UInt64,
    mode LowCardinality(String),
    provider LowCardinality(String),
    recipient String,
    bounce_class LowCardinality(String),
    data String CODEC(ZSTD)
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (type, toStartOfHour(at), provider, id)
TTL toDateTime(at) + INTERVAL 90 DAY;

-- Records of the type log.position say how far the topic is complete; they are no events.
CREATE MATERIALIZED VIEW postloft_events_view TO postloft_events AS
SELECT
    JSONExtractString(record, 'id') AS id,
    JSONExtractString(record, 'type') AS type,
    parseDateTime64BestEffort(JSONExtractString(record, 'created_at'), 3, 'UTC') AS at,
    JSONExtractString(record, 'account_id') AS account_id,
    JSONExtractString(record, 'domain_id') AS domain_id,
    JSONExtractString(record, 'data', 'email_id') AS email_id,
    JSONExtractUInt(record, 'sequence') AS sequence,
    JSONExtractUInt(record, 'position') AS position,
    JSONExtractString(record, 'mode') AS mode,
    JSONExtractString(record, 'provider') AS provider,
    JSONExtractString(record, 'data', 'recipient') AS recipient,
    JSONExtractString(record, 'data', 'bounce_class') AS bounce_class,
    JSONExtractRaw(record, 'data') AS data
FROM postloft_events_topic
WHERE JSONExtractString(record, 'type') != 'log.position';
