// The scenarios of docs/scaling.md. Each returns the figures of a table; the same input gives the same figures.
import { Cell } from './cell.mjs';

const DAY = 86_400;
const HOUR = 3_600;
/** The cell of docs/scaling.md, meant for 6,250 emails per second at the peak. @type {import('./cell.mjs').Shape} */
export const SHAPE = {
  postgresCores: 8,
  gatewayCores: 4,
  deliveryCores: 8,
  relayCores: 2,
  sinkCores: 2,
  walBytes: 120e6,
};

/** Emails per second at each second of a day: a night, a day, and two short peaks (10:00 and 17:00). @param {number} emailsPerDay */
export function dayProfile(emailsPerDay) {
  const peak = (/** @type {number} */ at, /** @type {number} */ hour) => Math.exp(-(((at / HOUR - hour) / 0.75) ** 2));
  const shape = Array.from(
    { length: DAY },
    (_, at) =>
      0.35 + 0.65 * Math.max(0, Math.sin((Math.PI * (at / HOUR - 6)) / 15)) + 2.6 * peak(at, 10) + 1.4 * peak(at, 17),
  );
  const scale = emailsPerDay / shape.reduce((sum, value) => sum + value, 0);
  return shape.map((value) => value * scale);
}

/** The busiest second of a day against its mean. */
export const PEAK_FACTOR = DAY * Math.max(...dayProfile(1));

/** A day without faults. @param {number} emailsPerDay of the cell @param {import('./cell.mjs').Shape} [shape] */
export function ordinaryDay(emailsPerDay, shape = SHAPE) {
  const cell = new Cell(shape);
  const most = { postgres: 0, gateway: 0, delivery: 0, wal: 0, relayBehind: 0, sinkBehind: 0, queued: 0 };
  for (const others of dayProfile(emailsPerDay)) {
    cell.step({ hot: 0, others });
    for (const part of /** @type {const} */ (['postgres', 'gateway', 'delivery', 'wal']))
      most[part] = Math.max(most[part], cell.busy[part]);
    most.relayBehind = Math.max(most.relayBehind, cell.unpublished.relay);
    most.sinkBehind = Math.max(most.sinkBehind, cell.unpublished.sink);
    most.queued = Math.max(most.queued, cell.queued.others);
  }
  return { ...most, p99: cell.delays.others.percentile(0.99), accepted: cell.accepted.others };
}

/**
 * The primary fails while `perSecond` emails arrive: nothing is accepted for `outage` seconds, then the new primary has a cold cache.
 * @param {{ perSecond: number, outage?: number, cold?: number, coldCapacity?: number }} options
 */
export function failover({ perSecond, outage = 60, cold = 180, coldCapacity = 0.5 }) {
  const cell = new Cell(SHAPE);
  let [longestQueue, drained] = [0, 0];
  for (let at = 0; at < 2 * HOUR; at += 1) {
    const capacity = at < outage ? 0 : at < outage + cold ? coldCapacity : 1;
    cell.step({ hot: 0, others: perSecond }, capacity);
    const behind = cell.waiting.others + cell.queued.others;
    longestQueue = Math.max(longestQueue, behind);
    if (behind > perSecond) drained = at + 1;
  }
  const { delays } = cell;
  return {
    longestQueue,
    drained,
    longestDelay: delays.others.percentile(1),
    lost: cell.offered.others - cell.accepted.others,
  };
}

/**
 * One account sends `burst` emails per second for ten minutes, beside the ordinary mail of a cell.
 * @param {{ perSecond: number, burst: number, limit?: number, accounts?: number | null }} options `limit`: of requests of an account
 *   per second; beyond it they are refused
 */
export function hotTenant({ perSecond, burst, limit = Infinity, accounts = 100 }) {
  const cell = new Cell(SHAPE, { accounts });
  let refused = 0;
  for (let at = 0; at < 2 * HOUR; at += 1) {
    const wanted = at < 600 ? burst : 0;
    const hot = Math.min(wanted, limit);
    refused += wanted - hot;
    cell.step({ hot, others: perSecond });
  }
  return { refused, others: cell.delays.others.percentile(0.99), hot: cell.delays.hot.percentile(0.99) };
}
