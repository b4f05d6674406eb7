import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mail } from '../../support/samples/mail.js';
import { MailNetwork } from '../../support/services/mail-network.js';
import type { Sender } from '../../support/services/sender.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';
import { until } from '../../support/timing/until.js';

const DOMAIN = 'bytes.test';
const MESSAGES = 3_000;
const WARM_UP = 500;
/** Text and HTML of a message. */
const BODY = 1_000;
const STORED_BYTES = 8_000;
const WAL_BYTES = 16_000;

/** Of one delivered message with one recipient and one tag, in PostgreSQL, when its events are in the log. */
describe('a message', () => {
  let db: OpenTestDatabase;
  let network: MailNetwork;
  let sender: Sender;
  beforeAll(async () => {
    db = await createTestDatabase();
    network = await MailNetwork.start({
      DATABASE_URL: db.url,
      MASTER_KEY: db.config.masterKey?.toString('base64') ?? '',
    });
    sender = network.sender;
    await network.mailServer(DOMAIN);
    await deliver(WARM_UP, WARM_UP);
  });
  afterAll(async () => {
    await network?.close();
    await db?.close();
  });

  async function deliver(count: number, total: number): Promise<void> {
    const text = 'x'.repeat(BODY / 2);
    const over = { to: `ada@${DOMAIN}`, text, html: `<p>${text}</p>`, tags: { campaign: 'spring' } };
    for (let sent = 0; sent < count; sent += 100) {
      const batch = Array.from({ length: 100 }, () => mail({ from: sender.from, ...over }));
      expect((await sender.call('POST', '/emails/batch', batch)).status).toBe(201);
    }
    await until(
      async () => {
        const { rows } = await db.database.query<{ done: number; waiting: number }>(`
          SELECT (SELECT count(*)::int FROM recipients WHERE status = 'delivered') AS done,
                 (SELECT count(*)::int FROM outbox) AS waiting`);
        return rows[0].done === total && rows[0].waiting === 0;
      },
      { withinMs: 240_000, everyMs: 500, what: `${total} delivered messages` },
    );
  }
  async function sizes(): Promise<Map<string, number>> {
    const { rows } = await db.database.query<{ name: string; bytes: number }>(`
      SELECT coalesce(i.inhparent, c.oid)::regclass::text AS name, sum(pg_total_relation_size(c.oid))::float AS bytes
        FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY 1`);
    return new Map(rows.map(({ name, bytes }) => [name, bytes]));
  }
  const walPosition = async () =>
    (await db.database.query<{ at: string }>('SELECT pg_current_wal_lsn()::text AS at')).rows[0].at;

  it('takes less than 8 KB with its events and attempt, and 16 KB of WAL', async () => {
    const [before, begun] = [await sizes(), await walPosition()];
    await deliver(MESSAGES, WARM_UP + MESSAGES);
    const { rows } = await db.database.query<{ bytes: number }>(
      'SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::float AS bytes',
      [begun],
    );
    const grown = [...(await sizes())].map(([name, bytes]) => ({
      name,
      bytes: Math.round((bytes - (before.get(name) ?? 0)) / MESSAGES),
    }));
    const stored = grown.reduce((sum, { bytes }) => sum + bytes, 0);
    const wal = Math.round(rows[0].bytes / MESSAGES);
    const parts = grown.filter(({ bytes }) => bytes >= 20).toSorted((a, b) => b.bytes - a.bytes);
    console.log(
      `${stored} bytes stored and ${wal} bytes of WAL per message; ${parts.map(({ name, bytes }) => `${name} ${bytes}`).join(', ')}`,
    );
    expect(stored).toBeLessThan(STORED_BYTES);
    expect(wal).toBeLessThan(WAL_BYTES);
  });
});
