// Simulates a service of many cells with the measured costs of one email (units.mjs): a day of a billion emails, the loss of a
// primary, and an account that sends far more than before. docs/scaling.md has the figures and their meaning.
//
//   node bench/scale/simulate.mjs [--emails 1000000000] [--accounts 100000]
//
// It takes seconds, needs no engine, and prints the same figures each time.
import { parseArgs } from 'node:util';
import { accountVolumes, imbalance, placeByDirectory, placeByHash } from './placement.mjs';
import { failover, hotTenant, ordinaryDay, PEAK_FACTOR, SHAPE } from './scenarios.mjs';
import {
  CLICKHOUSE_EVENT_BYTES,
  DISK_BYTES,
  EVENTS_PER_EMAIL,
  KAFKA_EVENT_BYTES,
  STAGES,
  WAL_BYTES,
} from './units.mjs';

const { values } = parseArgs({
  options: { emails: { type: 'string', default: '1000000000' }, accounts: { type: 'string', default: '100000' } },
});
const emails = atLeastOne('emails', values.emails);
const accounts = atLeastOne('accounts', values.accounts);
const mean = emails / 86_400;
const peak = mean * PEAK_FACTOR;

print('Load', [
  { what: 'emails per second, mean', value: round(mean) },
  { what: 'emails per second, peak', value: round(peak) },
  { what: 'events per second, peak', value: round(peak * EVENTS_PER_EMAIL) },
]);

print(
  'Cores at 60% load at the peak',
  Object.entries(STAGES).map(([stage, { program, postgres }]) => ({
    stage,
    'emails/s per core': program === 0 ? '–' : round(1 / program),
    'cores of programs': round((peak * program) / 0.6),
    'cores of PostgreSQL': round((peak * postgres) / 0.6),
  })),
);

const volumes = accountVolumes(accounts, emails);
print(
  'Cells',
  [8, 10, 12, 16].map((cells) => {
    const loads = placeByDirectory(volumes, cells);
    const day = ordinaryDay(Math.max(...loads));
    return {
      cells,
      'directory: largest/mean': imbalance(loads).toFixed(2),
      'hash: largest/mean': imbalance(placeByHash(volumes, cells)).toFixed(2),
      'PostgreSQL at peak': percent(day.postgres),
      'gateway at peak': percent(day.gateway),
      'delivery at peak': percent(day.delivery),
      'WAL at peak': percent(day.wal),
      'delay p99 s': day.p99,
      'longest queue': round(day.queued),
      'relay behind s': round(day.relayBehind / (SHAPE.relayCores / STAGES.relay.program)),
      'sink behind s': round(day.sinkBehind / (SHAPE.sinkCores / STAGES.sink.program)),
    };
  }),
);

const perCell = mean / 12;
print(
  'The primary of one of 12 cells fails (60 s without it, then 180 s at half its speed)',
  [perCell, perCell * 2, perCell * PEAK_FACTOR].map((perSecond) => {
    const { longestQueue, drained, longestDelay, lost } = failover({ perSecond });
    return {
      'emails/s of the cell': round(perSecond),
      'longest queue': round(longestQueue),
      'queue empty after s': drained,
      'longest delay s': longestDelay,
      lost: Math.abs(round(lost)),
    };
  }),
);

print(
  'One account of a cell sends 10,000 emails/s for ten minutes',
  /** @type {const} */ ([
    ['first come, first served, no limit', { accounts: null }],
    ['turns, no limit', {}],
    ['turns, at most 2,000 requests/s of an account', { limit: 2_000 }],
  ]).map(([how, options]) => {
    const { refused, others, hot } = hotTenant({ perSecond: perCell * 2, burst: 10_000, ...options });
    return { how, 'others, delay p99 s': others, 'the account, delay p99 s': hot, 'refused (429)': round(refused) };
  }),
);

const days = { RETENTION_MESSAGES: 30, RETENTION_ATTEMPTS: 14, RETENTION_BODIES: 7, RETENTION_EVENTS: 7 };
const standard = { RETENTION_MESSAGES: 90, RETENTION_ATTEMPTS: 90, RETENTION_BODIES: 30, RETENTION_EVENTS: 30 };
print('Disk of PostgreSQL, one replica, 12 cells', [
  { retention: 'as shipped', ...standard, 'TB per cell': terabytes((emails / 12) * kept(standard)) },
  { retention: 'at this size', ...days, 'TB per cell': terabytes((emails / 12) * kept(days)) },
]);
print('Bytes per day, one replica', [
  { what: 'WAL', TB: terabytes(emails * WAL_BYTES) },
  { what: 'Kafka', TB: terabytes(emails * EVENTS_PER_EMAIL * KAFKA_EVENT_BYTES) },
  { what: 'ClickHouse, single events', TB: terabytes(emails * EVENTS_PER_EMAIL * CLICKHOUSE_EVENT_BYTES.single) },
  { what: 'ClickHouse, roll-ups', TB: terabytes(emails * EVENTS_PER_EMAIL * CLICKHOUSE_EVENT_BYTES.rolledUp) },
]);

/** @param {Record<keyof typeof DISK_BYTES, number>} retention days @returns bytes on disk for an email a day */
function kept(retention) {
  const settings = /** @type {(keyof typeof DISK_BYTES)[]} */ (Object.keys(DISK_BYTES));
  return settings.reduce((sum, setting) => sum + DISK_BYTES[setting] * retention[setting], 0);
}

/** @param {string} option @param {string} text */
function atLeastOne(option, text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  console.error(`--${option} must be a whole number of at least 1`);
  process.exit(2);
}

/** @param {string} title @param {Record<string, unknown>[]} rows */
function print(title, rows) {
  console.log(`\n${title}`);
  console.table(rows);
}

/** @param {number} value */
function round(value) {
  return value < 10 ? Number(value.toFixed(1)) : Math.round(value);
}
/** @param {number} share */
function percent(share) {
  return `${Math.round(share * 100)}%`;
}
/** @param {number} bytes */
function terabytes(bytes) {
  return Number((bytes / 1e12).toFixed(1));
}
