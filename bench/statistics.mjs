// Fills a statistics store of its own with generated events and measures the questions of the API: rows and bytes read,
// processor time and duration. See docs/statistics.md for figures.
//
//   node tools/setup.mjs && node bench/statistics.mjs [--events 50000000] [--minutes 30] [--full-days 31] [--dir <folder>]
//     [--keep]
//
// Days before the last `--full-days` have the events of the largest account only, which is what is asked about.
// `--dir` with `--keep` uses a filled store again.
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Log, loadConfig } from '../dist/libs/kernel/src/index.js';
import { METRICS, StatsStore } from '../dist/libs/stats/src/index.js';

const { values: args } = parseArgs({
  options: {
    events: { type: 'string', default: '50000000' },
    minutes: { type: 'string', default: '30' },
    'full-days': { type: 'string', default: '31' },
    dir: { type: 'string', default: join(tmpdir(), 'postloft-bench-statistics') },
    keep: { type: 'boolean', default: false },
  },
});
const DAYS = 31;
const DAY_MS = 86_400_000;
const ROUNDS = 15;
const BLOCK_ROWS = 50_000;
const ID_HEAD = '01978c0e5f7b7c3a9d21';
const idOf = (/** @type {string} */ prefix, /** @type {number} */ number) =>
  `${prefix}_${ID_HEAD}${String(number).padStart(12, '0')}`;

if (!args.keep) await rm(args.dir, { recursive: true, force: true });
await mkdir(args.dir, { recursive: true });
const settings = { DATA_DIR: args.dir };
const store = new StatsStore(loadConfig('standalone', settings), Log.quiet());
await store.ready();
/** The engine of the store: private, but a benchmark needs its statements. @type {any} */
const { engine } = store;
/** @param {string} query @returns {Promise<any[]>} */
const select = (query) => engine.select({ query, params: {} });
/** @param {string} query */
const command = (query) => engine.command(query);

const end = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const stored = Number((await select('SELECT count() AS events FROM recipient_events'))[0].events);
if (stored === 0) await fill();
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
  return { ...visibility, accountId: idOf('acc', domain % 10 === 1 ? 1 : domain % 250) };
}

/** Domain k gets a share of 1/k; a tenth of the domains belongs to account 1, which has the largest. */
async function fill() {
  const perDay = Math.ceil(Number(args.events) / DAYS);
  const deadline = Date.now() + Number(args.minutes) * 60_000;
  const began = Date.now();
  const cpu = process.cpuUsage();
  let filled = 0;
  for (let n = 0; n < DAYS && Date.now() < deadline; n++) {
    // The newest days first, so that a fill that ends early has a month without its beginning.
    const from = end - (n + 1) * DAY_MS;
    await command(`INSERT INTO recipient_events (event_id, position, account_id, domain_id, email_id, type, recipient,
        provider, tags, ip, host, api_key, bounce_type, bounce_class, is_bot, latency_ms, counter, folded, at, batch)
      SELECT generateUUIDv7(), ${n * perDay} + number + 1 AS position,
        toUUID(concat('${uuidHead()}', leftPad(toString(if(domain % 10 = 1, 1, domain % 250)), 12, '0'))) AS account_id,
        toUUID(concat('${uuidHead()}', leftPad(toString(domain), 12, '0'))) AS domain_id,
        generateUUIDv4(), concat('email.', counter), concat('user', toString(rand(7) % 1000000), '@', provider),
        if(rand(1) % 10 < 8, arrayElement(['google', 'microsoft', 'yahoo', 'apple', 'gmx', 'web.de'], 1 + rand(2) % 6),
           concat('company', toString(rand(3) % 3000), '.example')) AS provider,
        map('campaign', concat('c', toString(rand(4) % 40)), 'order', toString(position)),
        if(counter IN ('delivered', 'bounced'), concat('192.0.2.', toString(rand(5) % 200)), ''),
        if(counter IN ('delivered', 'bounced'), concat('mx', toString(rand(5) % 200), '.example'), ''),
        concat('key_', toString(domain), '_', toString(rand(6) % 3)),
        if(counter = 'bounced', 'hard', ''), if(counter = 'bounced', arrayElement(['invalid_recipient', 'quota', 'policy', 'spam'], 1 + rand(8) % 4), ''),
        counter IN ('opened', 'clicked') AND rand(9) % 5 = 0, if(counter = 'delivered', toUInt32(pow(10, 2 + rand(10) % 3)) + rand(11) % 5000, 0),
        arrayElement(['accepted', 'sent', 'delivered', 'accepted', 'sent', 'delivered', 'accepted', 'sent', 'delivered', 'opened', 'opened',
          'opened', 'clicked', 'bounced', 'deferred', 'delivered', 'failed', 'complained', 'accepted', 'sent'], 1 + rand(12) % 20) AS counter,
        ['tag:order'], fromUnixTimestamp64Milli(toInt64(${from} + number * ${DAY_MS / perDay}), 'UTC'), intDiv(position, 5000)
      FROM (SELECT number, toUInt32(pow(1000, rand(13) / 4294967296)) AS domain FROM numbers(${perDay}))
      WHERE ${n < Number(args['full-days']) ? '1' : 'domain % 10 = 1'}
      SETTINGS max_block_size = ${BLOCK_ROWS}, min_insert_block_size_rows = ${BLOCK_ROWS}, max_insert_threads = 1`);
    filled = Number((await select('SELECT count() AS events FROM recipient_events'))[0].events);
    const used = process.cpuUsage(cpu);
    const seconds = Math.round((Date.now() - began) / 1000);
    console.error(
      `${filled} events after ${seconds} s, ${Math.round((used.user + used.system) / 1e6)} s of processor time`,
    );
  }
}

function uuidHead() {
  return `${ID_HEAD.slice(0, 8)}-${ID_HEAD.slice(8, 12)}-${ID_HEAD.slice(12, 16)}-${ID_HEAD.slice(16, 20)}-`;
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
