// Fills the tables of a statistics store with generated events: the views fill the roll-ups, as in the service.
import { join } from 'node:path';
import { Session } from 'chdb';

export const DAYS = 31;
export const DAY_MS = 86_400_000;
/** The service inserts 5,000 rows at once. Larger blocks take less time and more memory than it may use. */
const BLOCK_ROWS = 250_000;
const MEMORY_BYTES = 8 * 1024 ** 3;
const ID_HEAD = '01978c0e5f7b7c3a9d21';
const UUID_HEAD = `${ID_HEAD.slice(0, 8)}-${ID_HEAD.slice(8, 12)}-${ID_HEAD.slice(12, 16)}-${ID_HEAD.slice(16, 20)}-`;

/** The id of the account or domain with a number. @param {string} prefix @param {number} number */
export const idOf = (prefix, number) => `${prefix}_${ID_HEAD}${String(number).padStart(12, '0')}`;

/** The number of the account that has a domain: a tenth of the domains belongs to account 1, which has the largest. @param {number} domain */
export const accountOf = (domain) => (domain % 10 === 1 ? 1 : domain % 250);

/**
 * Domain k gets a share of 1/k. The newest days are generated; the days before them are copies with another time, which take
 * a sixth of the processor time.
 * @param {{ dir: string, end: number, events: number, generatedDays: number }} options `dir` has a store that is not open;
 *   the last day ends at `end`
 */
export function fill({ dir, end, events, generatedDays }) {
  const session = new Session(join(dir, 'chdb'), { connectionArgs: [`--max_server_memory_usage=${MEMORY_BYTES}`] });
  session.query('USE postloft');
  const report = reporter();
  const perDay = Math.ceil(events / DAYS);
  for (let number = 0; number < generatedDays; number++) {
    session.query(dayStatement({ number, from: end - (number + 1) * DAY_MS, perDay }));
    report(`${number + 1} days`);
  }
  copyDays(session, { end, generatedDays, perDay }, report);
  session.close();
}

/** The position of an event, and the column with its time, by which a table is shifted. */
const TIMES = { recipient_events: 'at', recipient_positions: 'day' };

/** @param {Session} session @param {{ end: number, generatedDays: number, perDay: number }} of @param {(what: string) => void} report */
function copyDays(session, { end, generatedDays, perDay }, report) {
  const names = session.query(`SELECT name FROM system.tables WHERE database = 'postloft' AND name LIKE 'recipient_%'`);
  const all = String(names)
    .trim()
    .split('\n')
    .map((name) => name.replaceAll('"', ''));
  const views = all.filter((name) => name.endsWith('_feed'));
  // A copy of the events would feed the roll-ups, which are copied themselves.
  for (const view of views) session.query(`DETACH TABLE ${view}`);
  for (let copied = generatedDays; copied < DAYS; copied += generatedDays) {
    const newest = end / 1000 - Math.min(generatedDays, DAYS - copied) * 86_400;
    for (const table of all.filter((name) => !views.includes(name))) {
      const time = TIMES[/** @type {keyof typeof TIMES} */ (table)] ?? 'period';
      const shifted = [`${time} - toIntervalDay(${copied}) AS ${time}`];
      if (table in TIMES) shifted.push(`position + ${copied * perDay} AS position`);
      session.query(`INSERT INTO ${table} SELECT * REPLACE (${shifted.join(', ')})
        FROM (SELECT * FROM ${table} WHERE toDateTime(${time}) >= toDateTime(${newest}, 'UTC'))
        SETTINGS max_insert_threads = 1`);
    }
    report(`${Math.min(copied + generatedDays, DAYS)} days`);
  }
  for (const view of views) session.query(`ATTACH TABLE ${view}`);
}

function reporter() {
  const [began, cpu] = [Date.now(), process.cpuUsage()];
  return (/** @type {string} */ what) => {
    const { user, system } = process.cpuUsage(cpu);
    const [seconds, used] = [(Date.now() - began) / 1_000, (user + system) / 1e6];
    console.error(`${what} after ${seconds.toFixed(0)} s, ${used.toFixed(0)} s of processor time`);
  };
}

/** @param {{ number: number, from: number, perDay: number }} day */
function dayStatement({ number, from, perDay }) {
  return `INSERT INTO recipient_events (event_id, position, account_id, domain_id, email_id, type, recipient,
        provider, tags, ip, host, api_key, bounce_type, bounce_class, is_bot, latency_ms, counter, folded, at, batch)
      SELECT generateUUIDv7(), ${number * perDay} + number + 1 AS position,
        toUUID(concat('${UUID_HEAD}', leftPad(toString(if(domain % 10 = 1, 1, domain % 250)), 12, '0'))) AS account_id,
        toUUID(concat('${UUID_HEAD}', leftPad(toString(domain), 12, '0'))) AS domain_id,
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
      SETTINGS max_block_size = ${BLOCK_ROWS}, min_insert_block_size_rows = ${BLOCK_ROWS}, max_insert_threads = 1, deduplicate_blocks_in_dependent_materialized_views = 0`;
}
