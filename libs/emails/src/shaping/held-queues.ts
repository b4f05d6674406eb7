import type { ShapingState } from '#libs/mta';
import type { Database } from '#libs/persistence';
import { HELD } from './held.js';
import { ShapingStore } from './shaping-store.js';

/** A queue that is held back, from one of our addresses. */
export interface HeldQueue {
  queue: string;
  /** Null: the system's choice of address. */
  source: string | null;
  state: ShapingState['kind'];
  /** Of a slow-down: the share of the usual pace. */
  factor: number | null;
  until: string;
  /** Id of the automation that did it. */
  rule: string;
  mx: string | null;
  words: string | null;
  /** Recipients that wait for this queue. */
  waiting: number;
}

/** Due any sooner, mail could meet a process that has not heard yet, and be held back again. */
const HEARD_AFTER_MS = 1_500;
const COUNTED_TO = 1_000_000;

/** What the operator sees and does about queues; works beside running programs. */
export class HeldQueues {
  private readonly store: ShapingStore;

  constructor(private readonly database: Database) {
    this.store = new ShapingStore(database);
  }

  async list(): Promise<HeldQueue[]> {
    const states = await this.store.active();
    const waiting = new Map<string, number>();
    for (const queue of new Set(states.map((state) => state.queue))) waiting.set(queue, await this.waiting(queue));
    return states.map((state) => ({
      queue: state.queue,
      source: state.source,
      state: state.kind,
      factor: state.kind === 'slow_down' ? state.factor : null,
      until: new Date(state.until).toISOString(),
      rule: state.rule,
      mx: state.mx,
      words: state.words,
      waiting: waiting.get(state.queue) ?? 0,
    }));
  }

  /**
   * Ends what holds the queue back, in all processes within two seconds; what waited for it is due then. Returns how many
   * restraints ended and how many recipients became due.
   */
  async resume(queue: string): Promise<{ restraints: number; recipients: number }> {
    const restraints = await this.store.lift(queue);
    return { restraints, recipients: await this.store.release(queue, HEARD_AFTER_MS) };
  }

  private async waiting(queue: string): Promise<number> {
    const { rows } = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT 1 FROM recipients
        WHERE wait ->> 'queue' = $1 AND ${HELD} LIMIT $2) AS counted`,
      [queue, COUNTED_TO],
    );
    return rows[0].count;
  }
}
