// Fills a statistics store of its own with generated events and measures the questions of the API: rows and bytes read,
// processor time and duration. See docs/statistics.md for figures.
//
//   node tools/setup.mjs && node bench/statistics.mjs [--events 50000000] [--generated-days 8] [--dir <folder>] [--keep]
//
// The newest `--generated-days` of 31 days are generated, the others are copies of them. `--dir` with `--keep` uses a filled store again.
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Log, loadConfig } from '../dist/libs/kernel/src/index.js';
import { METRICS, StatsStore } from '../dist/libs/stats/src/index.js';
import { accountOf as accountNumberOf, DAY_MS, DAYS, fill, idOf } from './statistics/fill.mjs';

const { values: args } = parseArgs({
  options: {
    events: { type: 'string', default: '50000000' },
    'generated-days': { type: 'string', default: '8' },
    dir: { type: 'string', default: join(tmpdir(), 'postloft-bench-statistics') },
    keep: { type: 'boolean', default: false },
  },
});
const ROUNDS = 15;

if (!args.keep) await rm(args.dir, { recursive: true, force: true });
await mkdir(args.dir, { recursive: true });
const settings = { DATA_DIR: args.dir, STATS_RAW_DAYS: '3650', STATS_MINUTE_DAYS: '3650' };
const open = async () => {
  const opened = new StatsStore(loadConfig('standalone', settings), Log.quiet());
  await opened.ready();
  return opened;
};
let store = await open();
/** The engine of the store: private, but a benchmark needs its statements. @type {any} */
let { engine } = store;
/** @param {string} query @returns {Promise<any[]>} */
const select = (query) => engine.select({ query, params: {} });
/** @param {string} query */
const command = (query) => engine.command(query);

let end = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const [{ events: stored, newest }] = await select(
  'SELECT count() AS events, toUnixTimestamp(max(at)) AS newest FROM recipient_events',
);
if (Number(stored) > 0) end = Math.ceil(newest / 86_400) * DAY_MS;
else {
  await store.close();
  const [events, generatedDays] = [args.events, args['generated-days']].map(Number);
  fill({ dir: args.dir, end, events, generatedDays });
  store = await open();
  engine = /** @type {any} */ (store).engine;
}
await describeTables();
const accountId = idOf('acc', 1);
const domainId = idOf('dom', 1);
const visibility = { accountId, mode: /** @type {const} */ ('live'), domainIds: null };
const now = new Date(end - 1_234_567);
const [day, six, month] = [1, 6, DAYS].map((days) => new Date(now.getTime() - days * DAY_MS));
const BASE = {
  ...{ visibility, from: six, to: now, timezone: 'UTC', granularity: 'day', metrics: METRICS, dimensions: [] },
  ...{ groupBy: [], percentiles: [], domainIds: null, emailIds: null },
};
/** @type {[string, object][]} */
const QUESTIONS = [
  ['GET /domains/:id/stats, 24 h, largest domain', { from: day, domainIds: [domainId], metrics: METRICS.slice(0, 15) }],
  [
    '… 30th domain',
    { from: day, visibility: accountOf(30), domainIds: [idOf('dom', 30)], metrics: METRICS.slice(0, 15) },
  ],
  [
    '24 h by minute, counts, largest domain',
    { from: day, domainIds: [domainId], dimensions: ['period'], granularity: 'minute', metrics: METRICS.slice(0, 15) },
  ],
  ['24 h by minute, all metrics', { from: day, domainIds: [domainId], dimensions: ['period'], granularity: 'minute' }],
  ['GET /stats default (6 d, all metrics), largest account', {}],
  ['… middle account', { visibility: accountOf(30) }],
  ['all metrics, 31 d', { from: month }],
  ['all metrics by day, 31 d', { from: month, dimensions: ['period'] }],
  ['all metrics by day in Berlin, 31 d', { from: month, dimensions: ['period'], timezone: 'Europe/Berlin' }],
  ['all metrics by day in Kolkata, 31 d', { from: month, dimensions: ['period'], timezone: 'Asia/Kolkata' }],
  [
    'counts by hour and domain, 24 h',
    { from: day, dimensions: ['period', 'domain'], granularity: 'hour', metrics: METRICS.slice(0, 15) },
  ],
  ['by provider, 31 d', { from: month, groupBy: ['provider'] }],
  ['by bounce_class, 31 d', { from: month, groupBy: ['bounce_class'] }],
  ['by api_key, 31 d', { from: month, groupBy: ['api_key'] }],
  ['by tags.campaign, 31 d', { from: month, groupBy: ['tag:campaign'] }],
  ['p50 p95 p99, 31 d', { from: month, metrics: ['delivered'], percentiles: ['p50', 'p95', 'p99'] }],
  ['unique opens by day, 31 d', { from: month, metrics: ['unique_opened'], dimensions: ['period'] }],
];
await command('SYSTEM STOP MERGES');
console.log(`\n| question | rows read | MB | CPU ms (median) | ms (best) | ms (median) |\n|---|---|---|---|---|---|`);
for (const [name, over] of QUESTIONS)
  await measure(name, () => store.metrics(/** @type {any} */ ({ ...BASE, ...over })));
await measure('live counters: 24 h by minute as of a position', () =>
  store.minuteCounters({ accountId, domainId, from: day }),
);
await command('SYSTEM START MERGES');
await measureInserts();
await store.close();
if (!args.keep) await rm(args.dir, { recursive: true, force: true });

/** @param {number} domain */
function accountOf(domain) {
  return { ...visibility, accountId: idOf('acc', accountNumberOf(domain)) };
}

async function describeTables() {
  const rows = await select(`SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts
    WHERE active AND database = currentDatabase() GROUP BY table ORDER BY bytes DESC`);
  const events = Number((await select('SELECT count() AS events FROM recipient_events'))[0].events);
  console.log('\n| table | rows | MB | bytes per event |\n|---|---|---|---|');
  for (const { table, rows: count, bytes } of rows)
    console.log(`| ${table} | ${count} | ${(bytes / 1e6).toFixed(1)} | ${(bytes / events).toFixed(2)} |`);
}

async function selected() {
  const rows = await select(`SELECT event, value FROM system.events WHERE event IN ('SelectedRows', 'SelectedBytes')`);
  return Object.fromEntries(rows.map((row) => [row.event, Number(row.value)]));
}

/** @param {string} name @param {() => Promise<unknown>} ask */
async function measure(name, ask) {
  await ask();
  const before = await selected();
  await ask();
  const after = await selected();
  const [cpu, wall] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (let i = 0; i < ROUNDS; i++) {
    const used = process.cpuUsage();
    const began = performance.now();
    await ask();
    wall.push(performance.now() - began);
    const { user, system } = process.cpuUsage(used);
    cpu.push((user + system) / 1000);
  }
  const median = (/** @type {number[]} */ list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)].toFixed(1);
  const read = after.SelectedRows - before.SelectedRows;
  const megabytes = ((after.SelectedBytes - before.SelectedBytes) / 1e6).toFixed(1);
  console.log(
    `| ${name} | ${read} | ${megabytes} | ${median(cpu)} | ${Math.min(...wall).toFixed(1)} | ${median(wall)} |`,
  );
}

async function measureInserts() {
  let position = 2 ** 40;
  for (const size of [100, 5_000]) {
    const batches = Array.from({ length: 12 }, () => Array.from({ length: size }, () => deliveryAt(++position)));
    const used = process.cpuUsage();
    const began = performance.now();
    for (const events of batches)
      await store.insert({ source: 'log', token: `bench:${events[0].position}`, events: /** @type {any} */ (events) });
    const { user, system } = process.cpuUsage(used);
    const count = size * batches.length;
    console.log(
      `inserts of ${size}: ${((user + system) / count).toFixed(1)} µs of processor time per event, ${((performance.now() - began) / batches.length).toFixed(0)} ms per insert`,
    );
  }
}

/** @param {number} position */
function deliveryAt(position) {
  const created_at = new Date().toISOString();
  const data = {
    recipient: `user${position}@gmail.com`,
    tags: { campaign: 'c1' },
    ip: '192.0.2.1',
    mx: 'mx1.example',
    queued_at: created_at,
  };
  const event = { id: idOf('evt', position % 1e12), account_id: accountId, type: 'email.delivered', created_at, data };
  return { event, key: idOf('em', position % 1e12), sequence: 1, domainId, test: false, position };
}
