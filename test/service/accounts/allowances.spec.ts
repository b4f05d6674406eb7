import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AccountEntity, Accounts, Allowances } from '#libs/accounts';
import type { AllowanceClaim } from '../../../libs/accounts/src/allowances/allowances.js';
import { Database, type Queryable } from '#libs/persistence';
import { Log, SecretBox } from '#libs/kernel';
import { passTime } from '../../support/timing/clock.js';
import { testConfig } from '../../support/persistence/database.js';
import { createTestDatabase, type OpenTestDatabase, OUTBOX_EVENTS } from '../../support/persistence/test-database.js';
import { dataSourceOptions } from '../../../libs/persistence/src/persistence.module.js';

interface Warning {
  key: string;
  sequence: number;
  account_id: string;
  data: { month: string; limit: number; used: number; percent: number };
}

let db: OpenTestDatabase;
let secondSource: DataSource;
let second: Database;
let accounts: Accounts;
let allowances: Allowances;
let accountId: string;

beforeAll(async () => {
  db = await createTestDatabase([AccountEntity]);
  secondSource = await new DataSource(dataSourceOptions(db.config, Log.quiet())).initialize();
  second = new Database(secondSource);
  accounts = new Accounts(
    db.dataSource.getRepository(AccountEntity),
    db.database,
    new SecretBox(Buffer.alloc(32, 7)),
    db.config,
  );
});
afterAll(async () => {
  await secondSource.destroy();
  await db.close();
});
beforeEach(async () => {
  allowances = new Allowances(db.database, db.config);
  accountId = (await accounts.create({ name: 'Letters Ltd', plan: '1000' })).id;
});

const reserve = (claims: AllowanceClaim[], database: Database = db.database): Promise<boolean[]> =>
  database.transaction((tx) => allowances.reserve(tx, claims));

const fits = async (units: number, limit = 1_000): Promise<boolean> =>
  (await reserve([{ accountId, units, limit }]))[0];

async function warnings(of = accountId): Promise<Warning[]> {
  const { rows } = await db.database.query<Warning>(
    `SELECT key, sequence, account_id, data FROM ${OUTBOX_EVENTS} WHERE type = 'account.allowance_warning' AND account_id = $1
      ORDER BY sequence`,
    [of],
  );
  return rows;
}

const SECOND_MS = 1_000;
const thisMonth = () => new Date().toISOString().slice(0, 7);

describe('Allowances', () => {
  it('know the limit of each plan, and a change of it within a second', async () => {
    expect(await allowances.limitOf(accountId)).toBe(1_000);
    await accounts.setPlan(accountId, 'free');
    passTime(SECOND_MS);
    expect(await allowances.limitOf(accountId)).toBe(3_000);
    await accounts.setPlan(accountId, 'unlimited');
    passTime(SECOND_MS);
    expect(await allowances.limitOf(accountId)).toBeNull();
    expect(await allowances.limitOf('acc_none')).toBe(0);
  });

  it('accept exactly what is left when 200 transactions on two pools race for 100', async () => {
    expect(await fits(900)).toBe(true);
    // More at once than both pools have connections, and not so many that the last waits longer for one than a pool lets it.
    const inTurn = async (database: Database) => {
      const answers: boolean[] = [];
      for (let i = 0; i < 5; i++) answers.push(...(await reserve([{ accountId, units: 1, limit: 1_000 }], database)));
      return answers;
    };
    const racers = Array.from({ length: 40 }, (_, i) => inTurn(i % 2 ? db.database : second));
    const answers = (await Promise.all(racers)).flat();
    expect(answers).toHaveLength(200);
    expect(answers.filter((fitted) => fitted)).toHaveLength(100);
    expect(await allowances.usage(accountId)).toMatchObject({ used: 1_000, remaining: 0 });
    expect((await warnings()).map(({ data }) => data.percent)).toEqual([80, 100]);
  });

  it('judge each account of a group by itself, and book nothing for one that does not fit', async () => {
    const other = (await accounts.create({ name: 'Other', plan: '5' })).id;
    const claims = [
      { accountId: other, units: 6, limit: 5 },
      { accountId, units: 7, limit: 1_000 },
    ];
    expect(await reserve(claims)).toEqual([false, true]);
    expect(await reserve([{ ...claims[0], units: 3 }])).toEqual([true]);
    expect(await reserve([{ ...claims[0], units: 3 }, claims[1]])).toEqual([false, true]);
    expect((await allowances.usage(other)).used).toBe(3);
    expect((await allowances.usage(accountId)).used).toBe(14);
  });

  it('never block groups whose accounts come in different orders', async () => {
    const ids = [accountId];
    for (let i = 0; i < 9; i++) ids.push((await accounts.create({ name: `a${i}`, plan: '100000' })).id);
    const group = (order: string[]) => order.map((id) => ({ accountId: id, units: 1, limit: 100_000 }));
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        reserve(group(i % 2 ? ids : ids.toReversed()), i % 3 ? db.database : second),
      ),
    );
    for (const id of ids) expect((await allowances.usage(id)).used).toBe(60);
  });

  it('book nothing that is rolled back, the warning included', async () => {
    const cancel = (tx: Queryable) =>
      allowances.reserve(tx, [{ accountId, units: 1_000, limit: 1_000 }]).then(() => {
        throw new Error('no');
      });
    await expect(db.database.transaction(cancel)).rejects.toThrow('no');
    expect((await allowances.usage(accountId)).used).toBe(0);
    expect(await warnings()).toEqual([]);
  });

  it('warn once at 80 and once at 100%, however often the line is crossed', async () => {
    await fits(799);
    expect(await warnings()).toEqual([]);
    await fits(1);
    const giveBack = () =>
      db.database.transaction((tx) => allowances.refund(tx, { accountId, units: 5, month: new Date() }));
    await giveBack();
    await fits(5);
    await fits(199);
    await fits(2);
    await fits(1);
    expect(await fits(1)).toBe(false);
    expect(await warnings()).toEqual([
      {
        key: accountId,
        account_id: accountId,
        sequence: 1,
        data: { month: thisMonth(), limit: 1_000, used: 800, percent: 80 },
      },
      {
        key: accountId,
        account_id: accountId,
        sequence: 2,
        data: { month: thisMonth(), limit: 1_000, used: 1_000, percent: 100 },
      },
    ]);
  });

  it('warn of both at once where one mail takes all, and anew after a change of plan', async () => {
    await fits(1_000);
    await accounts.setPlan(accountId, '2000');
    await fits(700, 2_000);
    expect((await warnings()).map(({ sequence, data }) => [sequence, data.percent, data.limit])).toEqual([
      [1, 80, 1_000],
      [2, 100, 1_000],
      [3, 80, 2_000],
    ]);
  });

  it('begin anew with the month: last month counts for nothing and takes nothing back', async () => {
    await fits(100);
    await db.database.query(`UPDATE allowances SET month = month - interval '1 month' WHERE account_id = $1`, [
      accountId,
    ]);
    expect(await allowances.usage(accountId)).toMatchObject({ used: 0, remaining: 1_000, month: thisMonth() });
    expect(await fits(1_000)).toBe(true);
    const lastMonth = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 0));
    await db.database.transaction((tx) => allowances.refund(tx, { accountId, units: 5, month: lastMonth }));
    expect((await allowances.usage(accountId)).used).toBe(1_000);
  });

  it('tell what is used, what remains, and when the month ends', async () => {
    await fits(3);
    const now = new Date();
    expect(await allowances.usage(accountId)).toEqual({
      plan: '1000',
      month: thisMonth(),
      limit: 1_000,
      used: 3,
      remaining: 997,
      resetsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)),
    });
    await accounts.setPlan(accountId, '2');
    expect(await allowances.usage(accountId)).toMatchObject({ used: 3, remaining: 0 });
    await accounts.setPlan(accountId, 'unlimited');
    expect(await allowances.usage(accountId)).toMatchObject({ limit: null, used: null, remaining: null });
  });

  it('count by the setting', () => {
    expect(allowances.unit).toBe('recipient');
    expect(new Allowances(db.database, testConfig(db.url, { ALLOWANCE_UNIT: 'message' })).unit).toBe('message');
  });
});
