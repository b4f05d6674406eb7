import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tableReads } from '../../support/persistence/table-reads.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';
import { WebhooksProcess } from '../../support/webhooks/webhooks-harness.js';
import { WebhookEntity } from '../../../libs/webhooks/src/endpoints/webhook.entity.js';

/** Endpoints that wait; each has one delivery. */
const ENDPOINTS = 20_000;
const LIMIT = 50;
/** The sixth run of a prepared statement is the first with a plan for any values. */
const TIMES = 7;
/** Of 8 KiB, for a claim of `LIMIT` deliveries. */
const MAX_PAGES = 2_500;

interface Backlog {
  name: string;
  endpoints: number;
  perEndpoint: number;
  isDue: boolean;
  dueIn: string;
}

describe('a claim of webhook deliveries beside a backlog', () => {
  let db: OpenTestDatabase;
  let program: WebhooksProcess;
  const run = (text: string, values: unknown[] = []) => db.database.query(text, values);

  beforeEach(() => {
    program = new WebhooksProcess(db);
  });
  beforeAll(async () => {
    db = await createTestDatabase([WebhookEntity], 1);
    for (const table of ['webhooks', 'webhook_deliveries', 'webhook_windows'])
      await run(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  });
  afterEach(() => run('TRUNCATE webhooks, webhook_deliveries, webhook_windows'));
  afterAll(() => db?.close());

  async function fill({ name, endpoints, perEndpoint, isDue, dueIn }: Backlog): Promise<void> {
    await run(
      `INSERT INTO webhooks (id, account_id, url, events, secret_sealed)
       SELECT 'wh_' || $1 || n, 'acc', 'https://example.com', '{*}', '' FROM generate_series(1, $2::int) AS n`,
      [name, endpoints],
    );
    await run(
      `INSERT INTO webhook_deliveries (id, webhook_id, account_id, event_id, event_type, sequence, body, due_at, is_due)
       SELECT 'dlv_' || $1 || n || '_' || m, 'wh_' || $1 || n, 'acc', 'evt_' || m, 'email.sent', 1, repeat('x', 500),
              now() + $4::interval, $5
         FROM generate_series(1, $2::int) AS n, generate_series(1, $3::int) AS m`,
      [name, endpoints, perEndpoint, dueIn, isDue ? true : null],
    );
  }

  /** Claims again and again. The claims of earlier rounds stay, as requests in flight. */
  async function pagesOf(free: number, wanted: number): Promise<number> {
    let most = 0;
    for (let i = 0; i < TIMES; i++) {
      let claimed = 0;
      const reads = await tableReads(db.database, async () => {
        claimed = (await program.queue.claim(free)).jobs.length;
      });
      expect(claimed).toBe(wanted);
      most = Math.max(most, reads.pages);
    }
    return most;
  }

  it('does not look at endpoints whose deliveries are not due, however many', async () => {
    await fill({ name: 'later', endpoints: ENDPOINTS, perEndpoint: 1, isDue: false, dueIn: '1 day' });
    await fill({ name: 'ok', endpoints: LIMIT * TIMES, perEndpoint: 1, isDue: false, dueIn: '-1 hour' });
    await run('ANALYZE webhook_deliveries');
    // Marks what has become due.
    await new WebhooksProcess(db).queue.claim(0);
    expect(await pagesOf(LIMIT, LIMIT)).toBeLessThan(MAX_PAGES);
    expect((await tableReads(db.database, () => program.queue.oldestDue())).pages).toBeLessThan(MAX_PAGES);
  });

  it('reads no more pages for very many endpoints with due deliveries', async () => {
    await fill({ name: 'due', endpoints: ENDPOINTS, perEndpoint: 1, isDue: true, dueIn: '-1 hour' });
    await run('ANALYZE webhook_deliveries');
    expect(await pagesOf(LIMIT, LIMIT)).toBeLessThan(MAX_PAGES);
  });

  it('reads no more pages for a long backlog of a few endpoints', async () => {
    await fill({ name: 'few', endpoints: 5, perEndpoint: ENDPOINTS / 5, isDue: true, dueIn: '-1 hour' });
    await run('ANALYZE webhook_deliveries');
    const reads = await tableReads(db.database, async () => {
      expect((await program.queue.claim(LIMIT)).jobs.length).toBeGreaterThan(LIMIT / 2);
    });
    expect(reads.pages).toBeLessThan(MAX_PAGES);
  });

  it('finds one endpoint behind very many that have paused', async () => {
    await fill({ name: 'a', endpoints: ENDPOINTS / 10, perEndpoint: 1, isDue: true, dueIn: '-1 hour' });
    await run(`INSERT INTO webhook_windows SELECT id, 10, now() + interval '1 minute' FROM webhooks`);
    await fill({ name: 'z', endpoints: 1, perEndpoint: 1, isDue: true, dueIn: '-1 hour' });
    await run('ANALYZE webhook_deliveries');
    for (let claims = 1; ; claims++) {
      let found: string[] = [];
      const reads = await tableReads(db.database, async () => {
        found = (await program.queue.claim(LIMIT)).jobs.map(({ webhookId }) => webhookId);
      });
      expect(reads.pages).toBeLessThan(MAX_PAGES);
      if (found.length > 0) return expect(found).toEqual(['wh_z1']);
      expect(claims).toBeLessThan(ENDPOINTS / 10 / LIMIT + 2);
    }
  });
});
