import { readFileSync } from 'node:fs';
import { lowestIdAt, newId, wholeAccount } from '#libs/contracts';
import { DomainEntity, SendingDomains } from '#libs/domains';
import { EmailList, type EmailFilter } from '#libs/emails';
import { SecretBox } from '#libs/kernel';
import { Database, Partitions, startOfDay, type Queryable } from '#libs/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Retention } from '../../../libs/emails/src/commands/retention.js';
import { insertEmails, type EmailRows } from '../../../libs/emails/src/intake/insert-emails.js';
import type { SearchSegments } from '../../../libs/emails/src/queries/list/search-segments.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

/** Emails of 60 days; day partitions of 90 days and of the next eight. */
const EMAILS = Number(process.env['POSTLOFT_EMAILS'] ?? 1_000_000);
const DAYS = 60;
const PARTITION_DAYS = { before: 89, after: 8 };
const ACCOUNTS = 50;
const CHUNK = 50_000;
const ACCEPTED = 20_000;
const GROUP = 64;
const DAY_MS = 86_400_000;
const TICKS_PER_S = 100;
const TABLES = { emails: 'id', recipients: 'email_id', email_tags: 'email_id' };
type Layout = 'plain' | 'partitioned';

let db: OpenTestDatabase;
let backend: number;
const now = new Date();
const account = `acc_${'0'.repeat(31)}7`;
const sql = async <R>(text: string, values: unknown[] = []) => (await db.database.query<R>(text, values)).rows;

beforeAll(async () => {
  // One connection, whose processor time is that of the database.
  db = await createTestDatabase([DomainEntity], 1);
  await sql('SET statement_timeout = 0');
  backend = (await sql<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0].pid;
  for (const table of Object.keys(TABLES)) await sql(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
}, 600_000);
afterAll(() => db?.close());

interface Cost {
  processorMicros: number;
  walBytes: number;
}

async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const wal = async () => Number((await sql<{ at: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS at`))[0].at);
  const began = { processor: processorTime(), wal: await wal() };
  await work();
  return { walBytes: (await wal()) - began.wal, processorMicros: (processorTime() - began.processor) * 1e6 };
}

function processorTime(): number {
  const [, fields] = readFileSync(`/proc/${backend}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / TICKS_PER_S;
}

function report(what: string, { processorMicros, walBytes }: Cost, per: number): void {
  const [micros, bytes] = [processorMicros / per, walBytes / per].map((value) => value.toFixed(1));
  console.log(`${what}: ${micros} µs of processor time, ${bytes} B of WAL`);
}

const MESSAGES = `
  SELECT n, at, 'em_' || lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n & 4095), 3, '0')
            || '8' || lpad(to_hex(n), 15, '0') AS id, 'acc_' || lpad((n % ${ACCOUNTS})::text, 32, '0') AS account_id,
         CASE WHEN n % 20 = 0 THEN 'bounced' ELSE 'delivered' END AS status,
         'shop' || n % ${ACCOUNTS} || '@sender.example' AS sender, 'dom_' || lpad((n % ${ACCOUNTS})::text, 32, '0') AS domain_id,
         'user' || hashint4(n) || '@customer.example' AS recipient, 'campaign ' || n % 7 AS campaign
    FROM (SELECT n, $1::timestamptz + make_interval(secs => (n - $2::int) * ${DAYS} * 86400.0 / ${EMAILS}) AS at
            FROM generate_series($2::int, $3::int) AS n) AS numbers`;
const FILL: Record<keyof typeof TABLES, string> = {
  emails: `(id, account_id, domain_id, mode, source, status, last_event, sender, sender_address, header_to, header_cc,
      header_bcc, reply_to, subject, tags, message_id, size, recipient_count, sequence, created_at, updated_at)
    SELECT id, account_id, domain_id, 'live', 'rest', status, status, sender, sender, ARRAY[recipient], '{}', '{}', '{}',
           'Order ' || n || ' has shipped', jsonb_build_object('campaign', campaign, 'order', n::text),
           '<' || id || '@sender.example>', 2048, 1, 3, at, at FROM (${MESSAGES}) AS messages`,
  recipients: `(account_id, email_id, ordinal, address, domain, search_key, domain_key, type, status, attempts, expires_at, fence)
    SELECT account_id, id, 0, recipient, 'customer.example', hashtextextended(account_id || recipient, 0),
           hashtext(account_id || 'customer.example'), 'to', status, 1, at, 1 FROM (${MESSAGES}) AS messages`,
  email_tags: `(account_id, key, value, email_id)
    SELECT account_id, tag.key, tag.value, id
      FROM (${MESSAGES}) AS messages CROSS JOIN LATERAL (VALUES ('campaign', campaign), ('order', n::text)) AS tag (key, value)`,
};

/** Emails with numbers from `from` on, the first of which was accepted at `at`. */
async function fill(prefix: string, { at, from, count }: { at: Date; from: number; count: number }): Promise<void> {
  const step = (DAYS * DAY_MS) / EMAILS;
  for (let first = from; first < from + count; first += CHUNK) {
    const last = Math.min(from + count, first + CHUNK) - 1;
    const begins = new Date(at.getTime() + (first - from) * step);
    for (const [table, text] of Object.entries(FILL))
      await sql(`INSERT INTO ${prefix}${table} ${text}`, [begins, first, last]);
  }
}

async function createPartitioned(): Promise<void> {
  for (const [table, key] of Object.entries(TABLES)) {
    await sql(`CREATE TABLE p_${table} (LIKE ${table} INCLUDING ALL) PARTITION BY RANGE (${key})`);
    const [{ options }] = await sql<{ options: string[] | null }>(
      `SELECT reloptions AS options FROM pg_class WHERE oid = to_regclass($1)`,
      [table],
    );
    for (let day = -PARTITION_DAYS.before; day <= PARTITION_DAYS.after; day++) {
      const [from, to] = [day, day + 1].map((days) => lowestIdAt('em', startOfDay(now, days)));
      await sql(
        `CREATE TABLE p_${table}_${day + 100} PARTITION OF p_${table} FOR VALUES FROM ('${from}') TO ('${to}')
           ${options === null ? '' : `WITH (${options.join(', ')})`}`,
      );
    }
  }
}

async function swap(from: string, to: string): Promise<void> {
  for (const table of Object.keys(TABLES)) {
    await sql(`ALTER TABLE ${table} RENAME TO ${from}${table}`);
    await sql(`ALTER TABLE ${to}${table} RENAME TO ${table}`);
  }
}

/** Counts the locks of each transaction at its end. */
class CountedLocks extends Database {
  locks = 0;

  override transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return super.transaction(async (tx) => {
      const result = await work(tx);
      this.locks = await locksOf(tx);
      return result;
    });
  }
}
const locksOf = async (tx: Queryable) =>
  (
    await tx.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM pg_locks WHERE pid = pg_backend_pid() AND relation IS NOT NULL',
    )
  ).rows[0].count;

function acceptedRows(): EmailRows {
  const id = newId('em');
  const at = new Date().toISOString();
  const email = {
    id,
    account_id: account,
    domain_id: `dom_${'0'.repeat(31)}7`,
    mode: 'live',
    source: 'rest',
    status: 'queued',
    last_event: 'queued',
    claimed_on_accept: true,
    sender: 'shop7@sender.example',
    sender_address: 'shop7@sender.example',
    header_to: ['user@customer.example'],
    header_cc: [],
    header_bcc: [],
    reply_to: [],
    subject: 'Your order has shipped',
    tags: { campaign: 'campaign 3' },
    message_id: `<${id}@sender.example>`,
    size: 2048,
    recipient_count: 1,
    units: 1,
    sequence: 1,
    created_at: at,
    updated_at: at,
    is_login_mail: false,
  };
  const recipient = {
    account_id: account,
    email_id: id,
    ordinal: 0,
    address: 'user@customer.example',
    domain: 'customer.example',
    search_key: 1,
    domain_key: 1,
    type: 'to',
    status: 'queued',
    due_at: at,
    expires_at: at,
    claimed_by: 'worker',
    fence: 1,
  };
  return {
    id,
    email,
    recipients: [recipient],
    tags: [{ account_id: account, key: 'campaign', value: 'campaign 3', email_id: id }],
    events: [],
    content: { format: 'parts', body: Buffer.alloc(100) },
    place: null,
  };
}

const FILTERS: [string, EmailFilter][] = [
  ['no filter', {}],
  ['status', { status: 'delivered' }],
  ['status of few', { status: 'complained' }],
  ['recipient', { to: 'nobody@customer.example' }],
  ['sender of none', { from: 'none@sender.example' }],
  ['subject of none', { subject: 'nothing' }],
  ['tag', { tags: { campaign: 'campaign 3' } }],
  ['tag of one', { tags: { order: '12007' } }],
];

async function measureUse(layout: Layout): Promise<void> {
  const accept = async (count: number) => {
    for (let i = 0; i < count; i += GROUP)
      await insertEmails(
        db.database,
        Array.from({ length: GROUP }, () => acceptedRows()),
      );
  };
  await accept(GROUP * 8);
  report(`${layout}: accept, per email`, await cost(() => accept(ACCEPTED)), ACCEPTED);
  await sql('UPDATE recipients SET claimed_by = NULL, due_at = NULL WHERE claimed_by IS NOT NULL');
  const ids = (await sql<{ id: string }>('SELECT id FROM emails TABLESAMPLE bernoulli (0.5) LIMIT 3000')).map(
    ({ id }) => id,
  );
  const look = async () => {
    for (const id of ids)
      await db.database.query({
        name: `look-up-${layout}`,
        text: 'SELECT e.*, r.* FROM emails e JOIN recipients r ON r.email_id = e.id WHERE e.id = $1',
        values: [id],
      });
  };
  await look();
  report(`${layout}: look-up by id`, await cost(look), ids.length);
  const counted = new CountedLocks(db.dataSource);
  const entries = db.dataSource.getRepository(DomainEntity);
  const list = new EmailList(
    counted,
    new SendingDomains(entries, db.database, new SecretBox(Buffer.alloc(32, 7)), db.config),
    { request: () => undefined } as unknown as SearchSegments,
  );
  for (const [name, filter] of FILTERS) {
    const page = () => list.page(wholeAccount(account), filter, { limit: 20 });
    await page();
    const times = 40;
    const of = await cost(async () => {
      for (let i = 0; i < times; i++) await page();
    });
    report(`${layout}: page of the list, ${name} (${counted.locks} locks)`, of, times);
  }
}

const sizes = () =>
  sql<{ table: string; heap: number; indexes: number }>(
    `SELECT name AS table, round(pg_table_size(name::regclass) / 1e6, 1)::float AS heap,
            round(pg_indexes_size(name::regclass) / 1e6, 1)::float AS indexes
       FROM unnest($1::text[]) AS name`,
    [Object.keys(TABLES)],
  );
async function reportSizes(when: string): Promise<void> {
  const all = (await sizes()).map(({ table, heap, indexes }) => `${table} ${heap} + ${indexes}`);
  console.log(`plain: MB of rows and indexes ${when}: ${all.join(', ')}`);
}

describe(`tables of ${EMAILS} emails`, () => {
  const begin = new Date(now.getTime() - DAYS * DAY_MS);

  it('with and without day partitions', { timeout: 3_600_000 }, async () => {
    await createPartitioned();
    for (const [layout, prefix] of [
      ['plain', ''],
      ['partitioned', 'p_'],
    ] as const) {
      report(
        `${layout}: fill, per email`,
        await cost(() => fill(prefix, { at: begin, from: 1, count: EMAILS })),
        EMAILS,
      );
      for (const table of Object.keys(TABLES)) await sql(`VACUUM (ANALYZE) ${prefix}${table}`);
    }
    await measureUse('plain');
    await swap('plain_', 'p_');
    await measureUse('partitioned');
    const drop = async () => {
      for (const table of Object.keys(TABLES))
        for (let day = -DAYS; day < -DAYS / 2; day++) await sql(`DROP TABLE p_${table}_${day + 100}`);
    };
    report('partitioned: drop of half, per email', await cost(drop), EMAILS / 2);
    await swap('p_', 'plain_');
    await sql('CHECKPOINT');
    await reportSizes('before');
    let next = EMAILS + 1;
    for (let round = 1; round <= 3; round++) {
      const limit = new Date(begin.getTime() + (round * DAYS * DAY_MS) / 2);
      const config = { settings: { ...db.config.settings, RETENTION_MESSAGES: Date.now() - limit.getTime() } };
      const retention = new Retention(db.database, new Partitions(db.database), config as never);
      let deleted = 0;
      const of = await cost(async () => {
        ({ emails: deleted } = await retention.prune());
      });
      expect(deleted).toBeGreaterThan(EMAILS / 3);
      report(`plain: deletion of ${deleted}, per email`, of, deleted);
      const vacuum = async () => {
        for (const table of Object.keys(TABLES)) await sql(`VACUUM ${table}`);
      };
      report('plain: vacuum, per deleted email', await cost(vacuum), deleted);
      await reportSizes('after deletion and vacuum');
      if (round === 3) return;
      const at = new Date(now.getTime() + (round - 1) * (DAYS / 2) * DAY_MS);
      await fill('', { at, from: next, count: EMAILS / 2 });
      next += EMAILS / 2;
      await reportSizes('after half was added');
    }
  });
});
