import { Injectable } from '@nestjs/common';
import { logBacklog, ParkedEvents, type ParkedEvent } from '#libs/bus';
import { isId, LIMITS } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { pageParameters, toConnection, type Connection, type ForwardPageArgs } from '../connection.js';
import type { EventLogStateType, ParkedEventDto } from './event-log.type.js';
import type { ServiceFacts } from './service-problems.js';

/** The event log as the operator sees it: how far each consumer is, and the events that consumers could not handle. */
@Injectable()
export class OperatorEventLog {
  constructor(
    private readonly parked: ParkedEvents,
    private readonly database: Database,
  ) {}

  async state(): Promise<EventLogStateType & Pick<ServiceFacts, 'backlog'>> {
    const { head, outbox, oldestSeconds, isOutboxLate, consumers } = await logBacklog(this.database);
    const parked = new Map((await this.parked.countByConsumer()).map((one) => [one.consumer, one.parked]));
    const known = new Set(consumers.map(({ consumer }) => consumer));
    const idle = [...parked.keys()].filter((consumer) => !known.has(consumer));
    const all = [
      ...consumers.map((one) => ({ ...one, parked: parked.get(one.consumer) ?? 0 })),
      ...idle.map((consumer) => ({
        ...{ consumer, position: null, lag: null, movedAt: null, isBehind: false, parked: parked.get(consumer) ?? 0 },
      })),
    ];
    const state = { outboxSeconds: oldestSeconds, consumers: all };
    return { head, outbox, ...state, backlog: { isOutboxLate, ...state } };
  }

  /** Oldest first. */
  async parkedPage(page: ForwardPageArgs, consumer: string | null): Promise<Connection<ParkedEvent>> {
    const { limit = String(LIMITS.listDefault), after } = pageParameters(page);
    const size = Number(limit);
    const found = await this.parked.list(size + 1, consumer, after ?? null);
    const data = found.slice(0, size);
    const has_more = found.length > size;
    return toConnection({ object: 'list', has_more, data, next_cursor: has_more ? data[size - 1].id : null }, page);
  }

  async findParked(id: string): Promise<ParkedEventDto | null> {
    return isId('prk', id) ? this.parked.find(id) : null;
  }
}
