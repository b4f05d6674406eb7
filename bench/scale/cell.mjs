// One cell: a PostgreSQL server with the programs that use it. A fluid model: each second, every stage processes what its
// processors and the write-ahead log permit, and the rest waits. It knows no single emails, so it can simulate a day of a billion.
import { STAGES, WAL_BYTES } from './units.mjs';

/**
 * @typedef {object} Shape
 * @property {number} postgresCores
 * @property {number} gatewayCores
 * @property {number} deliveryCores
 * @property {number} relayCores  lanes that copy events to Kafka
 * @property {number} sinkCores  lanes that write statistics
 * @property {number} walBytes  per second, that the disk and the replica keep up with
 */

/** Mail of one account that sends much, and of all others. @typedef {'hot' | 'others'} Kind */
/** @type {readonly Kind[]} */
export const KINDS = ['hot', 'others'];

/** Processor time of PostgreSQL in seconds per email. */
const DELIVER_POSTGRES = STAGES.deliver.postgres + STAGES.sequence.postgres + STAGES.relay.postgres;
const ACCEPT_POSTGRES = STAGES.accept.postgres + STAGES.retention.postgres;
/** The share of the write-ahead log that an email has written when it is accepted. */
const ACCEPT_WAL = 0.6;

export class Cell {
  /**
   * @param {Shape} shape
   * @param {{ accounts?: number | null }} [options] other accounts with mail in the queue, which take turns with the hot one;
   *   null: first come, first served
   */
  constructor(shape, { accounts = 100 } = {}) {
    this.shape = shape;
    this.hotShare = accounts === null ? null : 1 / (accounts + 1);
    /** Emails whose client waits for an answer. */
    this.waiting = byKind();
    /** Accepted emails that are not delivered. */
    this.queued = byKind();
    /** Events, in emails, that Kafka or the statistics do not have. */
    this.unpublished = { relay: 0, sink: 0 };
    /** Emails since the start. */
    this.offered = byKind();
    this.accepted = byKind();
    this.delivered = byKind();
    /** Delays in seconds from the request to the delivery, and how many emails had them. */
    this.delays = { hot: new Delays(), others: new Delays() };
    this.busy = { postgres: 0, gateway: 0, delivery: 0, wal: 0 };
  }

  /** One second. @param {Record<Kind, number>} arrivals @param {number} [capacity] of PostgreSQL: 0 while it fails over, below 1 with a cold cache */
  step(arrivals, capacity = 1) {
    for (const kind of KINDS) {
      this.offered[kind] += arrivals[kind];
      this.waiting[kind] += arrivals[kind];
    }
    const { shape } = this;
    const accepting = sum(this.waiting);
    // Emails may be accepted and delivered within the same second.
    const delivering = Math.min(sum(this.queued) + accepting, shape.deliveryCores / STAGES.deliver.program);
    const admitted = Math.min(accepting, shape.gatewayCores / STAGES.accept.program);
    const postgres = admitted * ACCEPT_POSTGRES + delivering * DELIVER_POSTGRES;
    const wal = admitted * ACCEPT_WAL * WAL_BYTES + delivering * (1 - ACCEPT_WAL) * WAL_BYTES;
    // PostgreSQL serves both kinds of statements alike.
    const share = Math.min(1, ratio(shape.postgresCores * capacity, postgres), ratio(shape.walBytes * capacity, wal));
    const accepted = take(this.waiting, admitted * share, null);
    for (const kind of KINDS) {
      this.queued[kind] += accepted[kind];
      this.accepted[kind] += accepted[kind];
    }
    const delivered = take(this.queued, Math.min(sum(this.queued), delivering * share), this.hotShare);
    for (const kind of KINDS) {
      this.delivered[kind] += delivered[kind];
      this.delays[kind].record(this.offered[kind], this.delivered[kind]);
    }
    this.publish(sum(delivered));
    this.busy = {
      postgres: (postgres * share) / shape.postgresCores,
      gateway: (sum(accepted) * STAGES.accept.program) / shape.gatewayCores,
      delivery: (sum(delivered) * STAGES.deliver.program) / shape.deliveryCores,
      wal: (wal * share) / shape.walBytes,
    };
  }

  /** @param {number} emails */
  publish(emails) {
    for (const stage of /** @type {const} */ (['relay', 'sink'])) {
      const left = this.unpublished[stage] + emails - this.shape[`${stage}Cores`] / STAGES[stage].program;
      this.unpublished[stage] = Math.max(0, left);
    }
  }
}

/**
 * Takes at most `limit` emails.
 * @param {Record<Kind, number>} from @param {number} limit
 * @param {number | null} hotShare of the hot account while both have mail; null: in proportion to what they have
 */
function take(from, limit, hotShare) {
  const share = hotShare ?? from.hot / Math.max(sum(from), Number.MIN_VALUE);
  // A kind that has less than its share leaves the rest to the other.
  const hot = Math.min(from.hot, Math.max(limit * share, limit - from.others));
  const taken = { hot, others: Math.min(from.others, limit - hot) };
  for (const kind of KINDS) from[kind] -= taken[kind];
  return taken;
}

/** The delay of each portion, from two cumulative counts: first come, first served within a kind. */
class Delays {
  constructor() {
    /** @type {number[]} */
    this.offered = [];
    this.first = 0;
    /** @type {Map<number, number>} emails by delay */
    this.counts = new Map();
    this.known = 0;
  }

  /** @param {number} offered @param {number} delivered cumulative counts after this second */
  record(offered, delivered) {
    this.offered.push(offered);
    const now = this.offered.length - 1;
    while (this.known < delivered && this.first <= now) {
      const upTo = Math.min(delivered, this.offered[this.first]);
      if (upTo > this.known) {
        const delay = now - this.first;
        this.counts.set(delay, (this.counts.get(delay) ?? 0) + upTo - this.known);
        this.known = upTo;
      }
      if (this.offered[this.first] > delivered) break;
      this.first += 1;
    }
  }

  /** @param {number} share such as 0.99 @returns seconds; an email that meets no queue has 0 */
  percentile(share) {
    const all = [...this.counts].sort(([a], [b]) => a - b);
    let left = share * all.reduce((total, [, count]) => total + count, 0);
    for (const [delay, count] of all) {
      left -= count;
      if (left <= 1e-6) return delay;
    }
    return all.at(-1)?.[0] ?? 0;
  }
}

/** @returns {Record<Kind, number>} */
const byKind = () => ({ hot: 0, others: 0 });
/** @param {Record<Kind, number>} of */
const sum = (of) => of.hot + of.others;
/** @param {number} capacity @param {number} demand */
const ratio = (capacity, demand) => (demand === 0 ? 1 : capacity / demand);
