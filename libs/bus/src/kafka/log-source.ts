import type { LoggedEvent } from '#libs/contracts';
import { shardName, type Shard } from '../shards/shard.js';
import type { ShardLayout } from '../shards/shard-layout.js';
import type { RelaySource, SourceRead, SourceRecord, StoredPosition } from '../relay-source.js';
import { POSITION_TYPE, toEventValue, toPositionValue } from './event-record.js';
import { belongsTo } from '../shards/partitioner.js';

/** The consumer of the PostgreSQL log that copies it. */
export const RELAY_CONSUMER = 'kafka-relay';

/** As `LiveLog` has it. */
interface ReadableLog {
  read(after: number, limit: number): Promise<LoggedEvent[]>;
  readKeys(after: number, limit: number, isWanted: (key: string) => boolean): Promise<KeysRead>;
  onNewEvents(callback: () => void): () => void;
}

interface KeysRead {
  events: LoggedEvent[];
  upTo: number;
  isAll: boolean;
}

/** As `Parking` has it. */
interface EventParking {
  parkEvent(consumer: string, event: LoggedEvent, error: unknown): Promise<void>;
}

/** The PostgreSQL log, or the keys of a shard in it, as a source of records. */
export class LogSource implements RelaySource<number> {
  readonly name: string;
  /** Of the last event that was read. */
  private last = 0;
  private partitions = 0;

  constructor(
    readonly shard: Shard,
    private readonly parts: {
      stored: StoredPosition<number>;
      layout: Pick<ShardLayout, 'agree'>;
      log: ReadableLog;
      parking: EventParking;
    },
  ) {
    this.name = shardName(RELAY_CONSUMER, shard);
  }

  take(): Promise<boolean> {
    return this.parts.stored.take();
  }

  async begin(partitions: number): Promise<number | null> {
    const division = await this.parts.layout.agree(this.name, { shards: this.shard.of, partitions });
    if (division.shards !== this.shard.of || division.partitions > partitions) return null;
    await this.parts.stored.begin();
    this.last = this.parts.stored.position;
    this.partitions = division.partitions;
    return this.partitions;
  }

  check(): void {
    this.parts.stored.check();
  }

  async read(limit: number): Promise<SourceRead<number>> {
    const { events, upTo, isAll } = this.shard.of === 1 ? await this.readAll(limit) : await this.readShard(limit);
    const isMoved = upTo > this.last;
    this.last = upTo;
    return { records: events.map(toSourceRecord), upTo: isMoved ? upTo : null, isAll };
  }

  private async readAll(limit: number): Promise<KeysRead> {
    const events = await this.parts.log.read(this.last, limit);
    return { events, upTo: events.at(-1)?.position ?? this.last, isAll: events.length < limit };
  }

  /** Keys are read alone first, because those of other shards would be most of the data. */
  private readShard(limit: number): Promise<KeysRead> {
    const isOurs = belongsTo(this.shard, this.partitions);
    return this.parts.log.readKeys(this.last, limit * this.shard.of, isOurs);
  }

  advance(to: number, stopping: AbortSignal): Promise<void> {
    return this.parts.stored.advance(to, stopping);
  }

  release(): Promise<void> {
    return this.parts.stored.release();
  }

  async refuse({ position }: SourceRecord<number>, error: Error): Promise<void> {
    const [event] = await this.parts.log.read(position - 1, 1);
    await this.parts.parking.parkEvent(RELAY_CONSUMER, event, error);
  }

  onNew(callback: () => void): () => void {
    return this.parts.log.onNewEvents(callback);
  }

  marker(): { type: string; value: string } | null {
    return this.last === 0 ? null : { type: POSITION_TYPE, value: toPositionValue(this.last, this.partitions) };
  }
}

export const toSourceRecord = (logged: LoggedEvent): SourceRecord<number> => ({
  id: logged.event.id,
  type: logged.event.type,
  key: logged.key,
  value: toEventValue(logged),
  at: Date.parse(logged.event.created_at),
  position: logged.position,
});
