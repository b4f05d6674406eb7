import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

describe('Database', () => {
  let db: OpenTestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
  });
  afterAll(() => db?.close());

  const cut = (pid: number) => db.database.query('SELECT pg_terminate_backend($1)', [pid]);

  it('outlives a connection that is cut between two statements of a transaction, and goes on', async () => {
    const failed = db.database.transaction(async (tx) => {
      const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await cut(rows[0].pid);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await tx.query('SELECT 1');
    });
    await expect(failed).rejects.toThrow();
    expect((await db.database.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('outlives a cut session of its own', async () => {
    const session = await db.database.session();
    const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await cut(rows[0].pid);
    await new Promise((resolve) => setTimeout(resolve, 100));
    session.release();
    expect((await db.database.query('SELECT 1 AS one')).rowCount).toBe(1);
  });

  it('rolls back what failed', async () => {
    await expect(
      db.database.transaction(async (tx) => {
        await tx.query(`INSERT INTO accounts (id, name) VALUES ('acc_x', 'x')`);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect((await db.database.query(`SELECT 1 FROM accounts WHERE id = 'acc_x'`)).rowCount).toBe(0);
  });
});
