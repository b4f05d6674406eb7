import { Injectable } from '@nestjs/common';
import type { LoggedEvent } from '#libs/contracts';
import { Log, Poller, Shutdown } from '#libs/kernel';
import type { ConsumeOptions, EventBatch, Ownership } from '../event-log.js';
import type { ParkedContent, RawRecord } from './parked-event.resource.js';
import { ParkedEvents, type Undigested } from './parked-events.js';
import { faultKind } from './record-fault.js';

/** After so many failures of a batch for an unknown reason, its events are tried one by one. */
const UNKNOWN_FAILURES = 5;
const REPLAY_POLL_MS = 1_000;

type Handler = Pick<ConsumeOptions, 'consumer' | 'handle' | 'isRecordFault'>;
type ReadRecord = (record: RawRecord) => LoggedEvent;

/** Events of a batch that fail alone, and the number of those that do not. */
interface Isolated {
  faulty: { event: LoggedEvent; error: unknown }[];
  handled: number;
}

/**
 * Lets a consumer go on when it cannot handle an event: the event is parked, and the rest of its batch is handled. Faults
 * of an engine or the network never park anything: the batch is repeated. See docs/decisions/041-parked-events.md.
 */
@Injectable()
export class Parking {
  constructor(
    private readonly parked: ParkedEvents,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
  ) {}

  /**
   * The options of a consumer that parks what it cannot handle. Also begins to replay what an operator asks for.
   * @param read reads the records that `parkRecord` has parked
   */
  guard(options: ConsumeOptions, read: ReadRecord = unreadable): ConsumeOptions {
    this.startReplays(options, read);
    return { ...options, handle: this.guarded(options) };
  }

  /** `handle` of a consumer that parks what it cannot handle. Throws what a repetition may mend. */
  guarded(options: Handler): ConsumeOptions['handle'] {
    // By source: the partitions of a topic fail and succeed independently of each other.
    const failing = new Map<string, { first: number; failures: number }>();
    return async (batch, ownership) => {
      try {
        await options.handle(batch, ownership);
      } catch (error) {
        const last = failing.get(batch.source);
        const failures = last?.first === batch.first ? last.failures + 1 : 1;
        failing.set(batch.source, { first: batch.first, failures });
        const kind = faultKind(error, options.isRecordFault);
        const isRepeated = kind === 'transient' || (kind === 'unknown' && failures < UNKNOWN_FAILURES);
        if (isRepeated || batch.events.length === 0) throw error;
        await this.parkFaulty(options, { batch, ownership, error });
      }
      failing.delete(batch.source);
    };
  }

  /** Parks a record that is not readable as an event. */
  async parkRecord(consumer: string, record: Omit<Undigested, 'event' | 'reason'>, error: unknown): Promise<void> {
    await this.park(consumer, [{ ...record, event: null, reason: reasonOf(error) }]);
  }

  private async parkFaulty(
    options: Handler,
    { batch, ownership, error }: { batch: EventBatch; ownership: Ownership; error: unknown },
  ): Promise<void> {
    const isolated: Isolated = { faulty: [], handled: 0 };
    await isolate(options, { batch, ownership, error }, isolated);
    const doubtful = isolated.faulty.find((one) => faultKind(one.error, options.isRecordFault) !== 'record');
    // Without an event that could be handled, the reason may be something else than these events.
    if (doubtful !== undefined && isolated.handled === 0) throw error;
    await this.park(
      options.consumer,
      isolated.faulty.map(({ event, error: reason }) => ({
        source: 'log',
        position: event.position,
        event,
        record: null,
        reason: reasonOf(reason),
      })),
    );
  }

  private async park(consumer: string, undigested: Undigested[]): Promise<void> {
    await this.parked.park(consumer, undigested);
    for (const { source, position, event, reason } of undigested)
      this.log.warn('log consumer: an event cannot be handled and is parked', {
        consumer,
        source,
        position,
        event: event?.event.id,
        reason,
      });
  }

  /** Parks an event of the log. */
  async parkEvent(consumer: string, event: LoggedEvent, error: unknown): Promise<void> {
    const { position } = event;
    await this.park(consumer, [{ source: 'log', position, event, record: null, reason: reasonOf(error) }]);
  }

  /** Begins to replay what an operator asks for. */
  startReplays(options: Handler, read: ReadRecord): void {
    const poller = new Poller(
      {
        name: `parked events of ${options.consumer}`,
        pollMs: REPLAY_POLL_MS,
        round: () => this.replayNext(options, read),
      },
      this.log,
    );
    this.shutdown.on('work', `parked events of ${options.consumer}`, () => poller.stop());
    poller.start();
  }

  /** True when an event was taken. */
  private async replayNext(options: Handler, read: ReadRecord): Promise<boolean> {
    const parked = await this.parked.takeRequested(options.consumer);
    if (parked === null) return false;
    try {
      const event = eventOf(parked, read);
      const { position } = event;
      const batch = { source: 'parked', first: position, last: position, events: [event] };
      await options.handle(batch, { check: () => undefined });
    } catch (error) {
      if (faultKind(error, options.isRecordFault) === 'transient') {
        await this.parked.requestReplay({ id: parked.id });
        throw error;
      }
      await this.parked.failedAgain(parked.id, reasonOf(error));
      this.log.warn('a parked event cannot be handled', {
        consumer: parked.consumer,
        id: parked.id,
        reason: reasonOf(error),
      });
      return true;
    }
    await this.parked.drop({ id: parked.id });
    this.log.info('a parked event was handled', { consumer: parked.consumer, id: parked.id });
    return true;
  }
}

/** Handles a batch that failed by halves, down to single events. @throws transient errors: the whole batch is repeated */
async function isolate(
  options: Handler,
  { batch, ownership, error }: { batch: EventBatch; ownership: Ownership; error: unknown },
  found: Isolated,
): Promise<void> {
  if (batch.events.length === 1) {
    found.faulty.push({ event: batch.events[0], error });
    return;
  }
  const middle = batch.events.length >> 1;
  for (const events of [batch.events.slice(0, middle), batch.events.slice(middle)]) {
    const half = partOf(batch, events);
    try {
      await options.handle(half, ownership);
      found.handled += events.length;
    } catch (problem) {
      if (faultKind(problem, options.isRecordFault) === 'transient') throw problem;
      await isolate(options, { batch: half, ownership, error: problem }, found);
    }
  }
}

/** Positions instead of offsets, and a source of its own, so that no part has the token of a whole batch. */
function partOf({ source }: EventBatch, events: LoggedEvent[]): EventBatch {
  const name = source.endsWith(PART) ? source : `${source}${PART}`;
  return { source: name, first: events[0].position, last: events[events.length - 1].position, events };
}
const PART = '/part';

function reasonOf(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' && message !== '' ? message : String(error);
}

const eventOf = ({ content }: ParkedContent, read: ReadRecord): LoggedEvent =>
  'event' in content ? content.event : read(content.record);

function unreadable(): never {
  throw new Error('the record came from Kafka, which is not configured');
}
