import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

/** Tables that get rows with each mail; PostgreSQL looks through them again each time they have grown by a tenth. */
const OF_EACH_MAIL = ['emails', 'email_contents', 'recipients', 'attempts', 'outbox', 'event_log'];

describe('column statistics', () => {
  let db: OpenTestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  afterAll(() => db?.close());

  it('are kept of no list, no JSON and no octets that a mail brings, but where a condition asks for them', async () => {
    const { rows } = await db.database.query<{ name: string }>(
      `SELECT attrelid::regclass || '.' || attname AS name FROM pg_attribute JOIN pg_type t ON t.oid = atttypid
        WHERE attrelid = ANY ($1::text[]::regclass[]) AND attnum > 0 AND attstattarget IS DISTINCT FROM 0
          AND (t.typcategory = 'A' OR t.typname IN ('json', 'jsonb', 'bytea'))`,
      [OF_EACH_MAIL],
    );
    // Whether a mail waits for its queue is a condition.
    expect(rows.map(({ name }) => name)).toEqual(['recipients.wait_reason']);
  });
});
