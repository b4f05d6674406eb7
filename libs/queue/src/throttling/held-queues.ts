import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { ResumedQueue, ThrottleView } from '../queue.resource.js';
import { HELD, ThrottlingStore } from './throttling-store.js';

/** Messages due any sooner could meet a process that has not learned of the release yet, and be held back again. */
const HEARD_AFTER_MS = 1_500;
const COUNTED_TO = 1_000_000;

interface ListOptions {
  /** Of the entries. */
  limit?: number;
  countedTo?: number;
}

/** Lists and releases queues, for the operator; works beside running programs. */
@Injectable()
export class HeldQueues {
  private readonly store: ThrottlingStore;

  constructor(private readonly database: Database) {
    this.store = new ThrottlingStore(database);
  }

  async list({ limit = COUNTED_TO, countedTo = COUNTED_TO }: ListOptions = {}): Promise<ThrottleView[]> {
    const states = await this.store.active(limit);
    const waiting = new Map<string, number>();
    for (const queue of new Set(states.map((state) => state.queue)))
      waiting.set(queue, await this.waiting(queue, countedTo));
    return states.map((state) => ({
      queue: state.queue,
      source: state.source,
      state: state.kind,
      factor: state.kind === 'slow_down' ? state.factor : null,
      since: new Date(state.at).toISOString(),
      until: new Date(state.until).toISOString(),
      rule: state.rule,
      mx: state.mx,
      words: state.words,
      block_list: state.blockList,
      waiting: waiting.get(state.queue) ?? 0,
    }));
  }

  /**
   * Ends the penalties of the queue, in all processes within two seconds; waiting recipients are due then. Returns how
   * many penalties ended and how many recipients became due.
   */
  async resume(queue: string): Promise<ResumedQueue> {
    const restraints = await this.store.lift(queue);
    return { restraints, recipients: await this.store.release(queue, HEARD_AFTER_MS) };
  }

  private async waiting(queue: string, countedTo: number): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT 1 FROM recipients
        WHERE wait_reason ->> 'queue' = $1 AND ${HELD} LIMIT $2) AS counted`,
      [queue, countedTo],
    );
    return rows[0].count;
  }
}
