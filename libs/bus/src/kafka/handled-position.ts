import type { Admin, Kafka } from 'kafkajs';
import type { EventLog } from '../event-log.js';
import { RELAY_CONSUMER } from './log-source.js';

/** The ends of all partitions when the topic had every event up to `position` that it ever got. */
interface Snapshot {
  position: number;
  /** Offset after the last record, by partition. */
  ends: Map<number, bigint>;
}

/**
 * How far a consumer group has handled the log, as a position of the PostgreSQL log. The relay stores its position after
 * all replicas have the records; once the group has committed the offsets at which the partitions ended then, it has
 * handled all of them. Partitions without traffic need no special care.
 */
export class HandledPosition {
  private handled = 0;
  private snapshot: Snapshot | null = null;

  constructor(
    private readonly of: { topic: string; groupId: string },
    private readonly kafka: Kafka,
    /** The PostgreSQL log. */
    private readonly source: EventLog,
  ) {}

  /** Never decreases. Under load it is as old as the call before. @throws while Kafka does not respond */
  async read(): Promise<number> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      this.snapshot ??= await this.takeSnapshot(admin);
      if (await this.isHandled(admin, this.snapshot)) {
        this.handled = Math.max(this.handled, this.snapshot.position);
        this.snapshot = null;
      }
      return this.handled;
    } finally {
      await admin.disconnect();
    }
  }

  private async takeSnapshot(admin: Admin): Promise<Snapshot> {
    // The position before the ends: records of later events may be counted, but none is missed.
    const position = await this.source.handledPosition(RELAY_CONSUMER);
    const offsets = await admin.fetchTopicOffsets(this.of.topic);
    return { position, ends: new Map(offsets.map(({ partition, high }) => [partition, BigInt(high)])) };
  }

  private async isHandled(admin: Admin, { ends }: Snapshot): Promise<boolean> {
    const { topic, groupId } = this.of;
    const now = await admin.fetchTopicOffsets(topic);
    const isNewTopic = now.some(({ partition, high }) => BigInt(high) < (ends.get(partition) ?? 0n));
    if (isNewTopic) {
      this.snapshot = null;
      return false;
    }
    const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const committed = new Map(group.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
    return now.every(({ partition, low }) => {
      const end = ends.get(partition) ?? 0n;
      // Records that retention has removed cannot be handled any more.
      return end <= BigInt(low) || (committed.get(partition) ?? -1n) >= end;
    });
  }
}
