import type { LoggedEvent } from '#libs/contracts';
import type { RelaySource, SourceRecord, StoredPosition } from '../relay-source.js';
import { POSITION_TYPE, toEventValue, toPositionValue } from './event-record.js';

/** The consumer of the PostgreSQL log that copies it. */
export const RELAY_CONSUMER = 'kafka-relay';

/** As `LiveLog` has it. */
interface ReadableLog {
  read(after: number, limit: number): Promise<LoggedEvent[]>;
  onNewEvents(callback: () => void): () => void;
}

/** As `Parking` has it. */
interface EventParking {
  parkEvent(consumer: string, event: LoggedEvent, error: unknown): Promise<void>;
}

/** The PostgreSQL log as a source of records. */
export class LogSource implements RelaySource<number> {
  readonly name = RELAY_CONSUMER;
  /** Of the last event that was read. */
  private last = 0;

  constructor(
    private readonly stored: StoredPosition<number>,
    private readonly log: ReadableLog,
    private readonly parking: EventParking,
  ) {}

  async take(): Promise<boolean> {
    if (!(await this.stored.take())) return false;
    this.last = this.stored.position;
    return true;
  }

  check(): void {
    this.stored.check();
  }

  async read(limit: number): Promise<SourceRecord<number>[]> {
    const events = await this.log.read(this.last, limit);
    this.last = events.at(-1)?.position ?? this.last;
    return events.map(toSourceRecord);
  }

  advance(to: number, stopping: AbortSignal): Promise<void> {
    return this.stored.advance(to, stopping);
  }

  release(): Promise<void> {
    return this.stored.release();
  }

  async refuse({ position }: SourceRecord<number>, error: Error): Promise<void> {
    const [event] = await this.log.read(position - 1, 1);
    await this.parking.parkEvent(this.name, event, error);
  }

  onNew(callback: () => void): () => void {
    return this.log.onNewEvents(callback);
  }

  marker(partitions: number): { type: string; value: string } | null {
    return this.last === 0 ? null : { type: POSITION_TYPE, value: toPositionValue(this.last, partitions) };
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
