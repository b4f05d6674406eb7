import { Injectable } from '@nestjs/common';
import { newId, type LoggedEvent } from '#libs/contracts';
import { Metrics } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Gauge } from 'prom-client';
import {
  parkedEvent,
  toParkedEvent,
  type ParkedContent,
  type ParkedEvent,
  type ParkedRow,
  type RawRecord,
} from './parked-event.resource.js';

/** A consumer with so many parked events stops: then it is not single events that are at fault. */
const PARKED_LIMIT = 10_000;
const MAX_REASON = 1_000;

/** What a consumer could not handle: an event of the log, or a record that is not readable as one. */
export interface Undigested {
  /** `log`, or `<topic>/<partition>` for a record. */
  source: string;
  /** Position in the log, or offset. */
  position: number;
  event: LoggedEvent | null;
  record: RawRecord | null;
  reason: string;
}

/** Events that their consumer cannot handle, kept until they are replayed or dropped. */
@Injectable()
export class ParkedEvents {
  constructor(private readonly database: Database) {}

  /** Adds what is not parked yet. @throws if the consumer has too many parked events */
  async park(consumer: string, undigested: readonly Undigested[]): Promise<void> {
    if (undigested.length === 0) return;
    if ((await this.count(consumer)) + undigested.length > PARKED_LIMIT)
      throw new Error(`more than ${PARKED_LIMIT} events of ${consumer} would be parked`);
    const column = <T>(value: (one: Undigested) => T): T[] => undigested.map(value);
    await this.database.query(
      `INSERT INTO parked_events AS known (id, consumer, source, position, event_id, event_type, account_id, record, reason)
       SELECT n.id, $1, n.source, n.position, n.event_id, n.event_type, n.account_id, n.record, n.reason
         FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
                AS n (id, source, position, event_id, event_type, account_id, record, reason)
       ON CONFLICT (consumer, source, position) DO UPDATE
         SET failures = known.failures + 1, failed_at = now(), reason = EXCLUDED.reason`,
      [
        consumer,
        column(() => newId('prk')),
        column(({ source }) => source),
        column(({ position }) => position),
        column(({ event }) => event?.event.id ?? null),
        column(({ event }) => event?.event.type ?? null),
        column(({ event }) => event?.event.account_id ?? null),
        column(({ event, record }) => JSON.stringify(event ? { event } : { record })),
        column(({ reason }) => storable(reason)),
      ],
    );
  }

  /** Oldest first, from the entry after `after` on. */
  async list(limit: number, consumer: string | null = null, after: string | null = null): Promise<ParkedEvent[]> {
    const { rows } = await this.database.query<ParkedRow>(
      `SELECT ${parkedEvent.columns} FROM parked_events
        WHERE ($2::text IS NULL OR consumer = $2) AND ($3::text IS NULL OR id > $3) ORDER BY id LIMIT $1`,
      [limit, consumer, after],
    );
    return rows.map(toParkedEvent);
  }

  async find(id: string): Promise<ParkedContent | null> {
    const { rows } = await this.database.query<ParkedRow & { record: string }>(
      `SELECT ${parkedEvent.columns}, record FROM parked_events WHERE id = $1`,
      [id],
    );
    return rows.length === 0 ? null : toParkedContent(rows[0]);
  }

  /** Asks the consumer to handle them again: one, those of a consumer, or all. Returns their number. */
  async requestReplay(which: Selection): Promise<number> {
    const { rowCount } = await this.database.query(
      `UPDATE parked_events SET replay_requested_at = now() WHERE ${SELECTED}`,
      selectionValues(which),
    );
    return rowCount;
  }

  /** Deletes them. Returns their number. */
  async drop(which: Selection): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM parked_events WHERE ${SELECTED}`,
      selectionValues(which),
    );
    return rowCount;
  }

  async count(consumer: string): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM parked_events WHERE consumer = $1',
      [consumer],
    );
    return rows[0].count;
  }

  async countByConsumer(): Promise<{ consumer: string; parked: number; oldest: Date }[]> {
    const { rows } = await this.database.query<{ consumer: string; parked: number; oldest: Date }>(
      `SELECT consumer, count(*)::int AS parked, min(parked_at) AS oldest FROM parked_events
        GROUP BY consumer ORDER BY consumer`,
    );
    return rows;
  }

  /** Positions in the log of the parked events of a consumer, above `after` and up to `upTo`. */
  async positions(consumer: string, { after, upTo }: { after: number; upTo: number }): Promise<Set<number>> {
    const { rows } = await this.database.query<{ position: string }>(
      `SELECT position FROM parked_events WHERE consumer = $1 AND source = 'log' AND position > $2 AND position <= $3`,
      [consumer, after, upTo],
    );
    return new Set(rows.map(({ position }) => Number(position)));
  }

  /** The next event whose replay was requested; it stays parked. */
  async takeRequested(consumer: string): Promise<ParkedContent | null> {
    const { rows } = await this.database.query<ParkedRow & { record: string }>({
      name: 'bus-parked-take',
      text: `UPDATE parked_events SET replay_requested_at = NULL
              WHERE id = (SELECT id FROM parked_events WHERE consumer = $1 AND replay_requested_at IS NOT NULL
                           ORDER BY replay_requested_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
             RETURNING ${parkedEvent.columns}, record`,
      values: [consumer],
    });
    return rows.length === 0 ? null : toParkedContent(rows[0]);
  }

  async failedAgain(id: string, reason: string): Promise<void> {
    await this.database.query(
      'UPDATE parked_events SET failures = failures + 1, failed_at = now(), reason = $2 WHERE id = $1',
      [id, storable(reason)],
    );
  }
}

export type Selection = { id: string } | { consumer: string } | 'all';

const SELECTED = '($1::text IS NULL OR id = $1) AND ($2::text IS NULL OR consumer = $2)';

function selectionValues(which: Selection): (string | null)[] {
  if (which === 'all') return [null, null];
  return 'id' in which ? [which.id, null] : [null, which.consumer];
}

/** PostgreSQL text cannot hold NUL. */
const storable = (reason: string): string => reason.replaceAll('\u0000', '').slice(0, MAX_REASON);

const toParkedContent = (row: ParkedRow & { record: string }): ParkedContent => ({
  ...toParkedEvent(row),
  content: JSON.parse(row.record) as ParkedContent['content'],
});

/** Counted when the metrics are scraped. */
@Injectable()
export class ParkedMetrics {
  constructor(parked: ParkedEvents, { registry }: Metrics) {
    const counts = () => parked.countByConsumer().catch(() => []);
    new Gauge({
      name: 'postloft_parked_events',
      help: 'Events that a consumer could not handle and that wait to be replayed or dropped.',
      labelNames: ['consumer'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const { consumer, parked: count } of await counts()) this.set({ consumer }, count);
      },
    });
  }
}
