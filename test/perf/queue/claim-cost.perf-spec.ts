import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#libs/persistence';
import { DueClaims } from '../../../libs/queue/src/claim/claim-due.js';
import { openQueueFixture, type QueueFixture } from '../../support/delivery/queue-fixture.js';

/** Recipients that wait and recipients that are held. */
const WAITING = Number(process.env['POSTLOFT_WAITING'] ?? 100_000);
const HELD = Number(process.env['POSTLOFT_HELD'] ?? 50_000);
const ACCOUNTS = 200;
const LIMIT = 200;
const TIMES = 9;
/** Pages of a claim of 200 recipients, of which each is read and written with its index entries. */
const MAX_PAGES = 12_000;

interface Plan {
  'Execution Time': number;
  Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number };
}

/** The cost of a claim of 200 recipients beside a backlog, by EXPLAIN (ANALYZE, BUFFERS); nothing is claimed. */
describe('a claim beside mail that waits and mail that is held', () => {
  let fixture: QueueFixture;
  const run = (text: string, values: unknown[] = []) => fixture.db.database.query(text, values);
  /** For statements that take longer than others may. */
  const runLong = (text: string, values: unknown[]) =>
    fixture.db.database.transaction(async (tx) => {
      await tx.query('SET LOCAL statement_timeout = 0');
      await tx.query(text, values);
    });

  beforeAll(async () => {
    fixture = await openQueueFixture();
    for (const table of ['emails', 'recipients']) await run(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    await run(
      `INSERT INTO accounts (id, name, plan, standing, created_at)
         SELECT 'acc_' || lpad(i::text, 4, '0'), 'x', 'unlimited', 'active', now() FROM generate_series(0, $1::int) AS i`,
      [ACCOUNTS],
    );
  }, 60_000);
  afterAll(() => fixture?.close());

  /** Account 0 has the held mail, which is due and marked; the others share what waits. */
  async function fill(name: string, of: { count: number; domains: number; held: boolean }): Promise<void> {
    await runLong(
      `INSERT INTO emails (id, account_id, domain_id, mode, source, status, last_event, sender, header_to, header_cc, header_bcc,
                           reply_to, subject, tags, message_id, size, recipient_count, sequence, created_at, updated_at)
         SELECT 'em_' || $1 || lpad(i::text, 8, '0'), 'acc_' || lpad((CASE WHEN $3 THEN 0 ELSE 1 + i % ${ACCOUNTS} END)::text, 4, '0'),
                (SELECT id FROM domains LIMIT 1), 'live', 'rest', 'queued', 'queued', 'a@sender.example', '{}', '{}', '{}', '{}', 's',
                '{}', '<m>', 1, 1, 1, now(), now() FROM generate_series(1, $2::int) AS i`,
      [name, of.count, of.held],
    );
    await runLong(
      `INSERT INTO recipients (email_id, ordinal, address, domain, account_id, type, status, due_at, expires_at, is_due)
         SELECT id, 0, 'x@example.com', 'd' || substr(id, length(id) - 7)::int / ${ACCOUNTS} % $2::int || '.example', account_id, 'to', 'queued',
                now() - interval '2 hours' + make_interval(secs => substr(id, length(id) - 7)::int * 0.0001),
                now() + interval '3 days', NOT $3::boolean
           FROM emails WHERE id LIKE 'em_' || $1 || '%'`,
      [name, of.domains, of.held],
    );
  }

  /** The statement of a claim with its values. */
  async function statementOf(perDomain: number): Promise<{ text: string; values: unknown[] }> {
    const statements: { name: string; text: string; values: unknown[] }[] = [];
    const database = {
      query: (query: (typeof statements)[number]) => {
        statements.push(query);
        return Promise.resolve({ rows: [{ email_id: null, reached: null, steps: 0 }], rowCount: 0 });
      },
    } as unknown as Database;
    await new DueClaims(database, { id: 'worker', epoch: 1 }).claim(LIMIT, { perDomain, byDomain: {} });
    const found = statements.find(({ name }) => name === 'queue-claim');
    if (found === undefined) throw new Error('no statement claims');
    return found;
  }

  async function cost(perDomain: number): Promise<{ pages: number; ms: number }> {
    const { text, values } = await statementOf(perDomain);
    let [pages, ms] = [0, Infinity];
    for (let i = 0; i < TIMES; i += 1)
      await fixture.db.database
        .transaction(async (tx) => {
          const { rows } = await tx.query<{ 'QUERY PLAN': Plan[] }>(
            `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
            values,
          );
          const [plan] = rows[0]['QUERY PLAN'];
          pages = plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks'];
          ms = Math.min(ms, plan['Execution Time']);
          throw new Error('rolled back');
        })
        .catch((error: Error) => expect(error.message).toBe('rolled back'));
    return { pages, ms };
  }

  it.each([1, 1_000])(
    'in %i domains reads a bounded number of pages',
    async (domains) => {
      await run('TRUNCATE emails, recipients');
      await fill('w', { count: WAITING, domains, held: false });
      await fill('h', { count: HELD, domains, held: true });
      await run('ANALYZE recipients');
      await run('ANALYZE emails');
      const { pages, ms } = await cost(Math.max(20, LIMIT / domains));
      console.log(`${WAITING} waiting and ${HELD} held in ${domains} domains: ${pages} pages, ${ms.toFixed(1)} ms`);
      expect(pages).toBeLessThan(MAX_PAGES);
    },
    600_000,
  );
});
