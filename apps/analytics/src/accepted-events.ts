import { Injectable } from '@nestjs/common';
import { LiveLog, ParkedEvents } from '#libs/bus';
import type { ReadableLog } from '#libs/stats';

/** The event log without the events that the statistics store does not accept, which are parked. */
@Injectable()
export class AcceptedEvents {
  constructor(
    private readonly liveLog: LiveLog,
    private readonly parked: ParkedEvents,
  ) {}

  /** `stopping` ends the reader; the next start goes on with its days. */
  of(consumer: string, stopping: AbortSignal): ReadableLog {
    const read = async (after: number, limit: number) => {
      for (let from = after; ;) {
        stopping.throwIfAborted();
        const events = await this.liveLog.read(from, limit);
        if (events.length === 0) return events;
        const upTo = events[events.length - 1].position;
        const parked = await this.parked.positions(consumer, { after: from, upTo });
        const taken = events.filter(({ position }) => !parked.has(position));
        if (taken.length > 0) return taken;
        from = upTo;
      }
    };
    return { oldest: () => this.liveLog.oldest(), head: () => this.liveLog.head(), read };
  }
}
