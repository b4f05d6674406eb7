"""Bounce rate by mailbox provider and hour, from the topic of events.

    pip install -r requirements.txt
    KAFKA_BROKERS=localhost:9092 python bounce_rate.py

Reads from the beginning of the topic to its present end, prints one line per provider and hour, and ends.
"""

import json
import os
from collections import defaultdict

from kafka import KafkaConsumer, TopicPartition

BROKERS = os.environ.get("KAFKA_BROKERS", "localhost:9092").split(",")
TOPIC = os.environ.get("KAFKA_TOPIC_PREFIX", "postloft.") + "email.events.v1"
COUNTED = {"email.delivered": "delivered", "email.bounced": "bounced"}


def records(consumer):
    """Every record up to the ends that the partitions have now."""
    partitions = [TopicPartition(TOPIC, number) for number in consumer.partitions_for_topic(TOPIC)]
    consumer.assign(partitions)
    consumer.seek_to_beginning(*partitions)
    ends = consumer.end_offsets(partitions)
    while any(consumer.position(partition) < ends[partition] for partition in partitions):
        for batch in consumer.poll(timeout_ms=500).values():
            yield from batch


def main():
    # Without a group: nothing is stored, so the next run begins at the beginning again. A program that stores what it
    # counts has a group and commits the offset in the same transaction, or afterwards.
    consumer = KafkaConsumer(bootstrap_servers=BROKERS, group_id=None, enable_auto_commit=False)
    seen = set()
    hours = defaultdict(lambda: {"delivered": 0, "bounced": 0})
    for record in records(consumer):
        # The header is enough to skip most records without parsing them.
        counter = COUNTED.get(dict(record.headers)["event-type"].decode())
        if counter is None:
            continue
        event = json.loads(record.value)
        # Records may come twice. A program that runs for long keeps the ids in its database, beside what it counts.
        if event["id"] in seen or event["mode"] == "test":
            continue
        seen.add(event["id"])
        hours[event["created_at"][:13] + ":00Z", event.get("provider", "none")][counter] += 1
    consumer.close()

    print("hour provider delivered bounced bounce_rate")
    for (hour, provider), counts in sorted(hours.items()):
        delivered, bounced = counts["delivered"], counts["bounced"]
        print(f"{hour} {provider} {delivered} {bounced} {bounced / (delivered + bounced):.4f}")


if __name__ == "__main__":
    main()
