import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId, wholeAccount } from '#libs/contracts';
import { Config } from '#libs/kernel';
import { SuppressionCache, SuppressionEntries, SuppressionList, type NewSuppression } from '#libs/suppressions';
import { createTestDatabase, type OpenTestDatabase, OUTBOX_EVENTS } from '../../support/persistence/test-database.js';
import { passTime } from '../../support/timing/clock.js';

let db: OpenTestDatabase;
let list: SuppressionList;
let accountId: string;

const add = (address: string, more: Partial<NewSuppression> = {}) =>
  list.add(db.database, { accountId, address, origin: 'bounce', reason: null, sourceId: null, ...more });
const inSeconds = (s: number) => new Date(Date.now() + s * 1_000);

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.close());
beforeEach(() => {
  accountId = newId('acc');
  list = new SuppressionList(db.database, new SuppressionCache(db.database, db.config));
});

describe('SuppressionList', () => {
  it('matches exactly what is on the list of this account, with its origin', async () => {
    await add('gone@example.com');
    await add('angry@example.com', { origin: 'complaint', reason: 'reported as spam', sourceId: newId('em') });
    await add('theirs@example.com', { accountId: newId('acc') });
    const asked = [
      'gone@example.com',
      'angry@example.com',
      'theirs@example.com',
      'gone+label@example.com',
      'fine@x.example',
    ];
    expect(await list.matching(accountId, asked)).toEqual(
      new Map([
        ['gone@example.com', 'bounce'],
        ['angry@example.com', 'complaint'],
      ]),
    );
    expect(await list.matching(accountId, [])).toEqual(new Map());
  });

  it('answers many concurrent callers with few queries, each with its own answer', async () => {
    const owners = Array.from({ length: 100 }, () => newId('acc'));
    for (const owner of owners.slice(0, 50)) await add('gone@example.com', { accountId: owner });
    const asked = vi.spyOn(db.database, 'query');
    const answers = await Promise.all(
      owners.map((owner) => list.matching(owner, ['gone@example.com', 'fine@example.com'])),
    );
    expect(asked.mock.calls.length).toBeLessThanOrEqual(2);
    asked.mockRestore();
    expect(answers.map((answer) => answer.size)).toEqual(owners.map((_, i) => (i < 50 ? 1 : 0)));
  });

  it('never matches an entry that has expired', async () => {
    await add('past@example.com', { expiresAt: inSeconds(-1) });
    await add('future@example.com', { expiresAt: inSeconds(60) });
    expect([...(await list.matching(accountId, ['past@example.com', 'future@example.com'])).keys()]).toEqual([
      'future@example.com',
    ]);
  });

  it('is not disturbed by a text that PostgreSQL refuses, nor are the neighbours in the query', async () => {
    await add('gone@example.com');
    const odd = ['a\0@example.com', 'a\ud800@example.com', `{"',\\}@example.com`];
    const [first, second] = await Promise.all([
      list.matching(accountId, odd),
      list.matching(accountId, ['gone@example.com', ...odd]),
    ]);
    expect([first.size, second.size]).toEqual([0, 1]);
  });

  it('keeps the first of two entries that last equally long', async () => {
    expect(await add('gone@example.com', { origin: 'complaint' })).toBe(true);
    expect(await add('gone@example.com', { origin: 'bounce' })).toBe(false);
    expect(await list.matching(accountId, ['gone@example.com'])).toEqual(new Map([['gone@example.com', 'complaint']]));
  });

  it('lets the longer entry win', async () => {
    expect(await add('a@example.com', { expiresAt: inSeconds(60) })).toBe(true);
    expect(await add('a@example.com', { expiresAt: inSeconds(30), origin: 'manual' })).toBe(false);
    expect(await add('a@example.com', { expiresAt: inSeconds(90), origin: 'manual' })).toBe(true);
    expect(await add('a@example.com', { origin: 'complaint' })).toBe(true);
    expect(await add('a@example.com', { expiresAt: inSeconds(9_000), origin: 'manual' })).toBe(false);
    expect(await list.matching(accountId, ['a@example.com'])).toEqual(new Map([['a@example.com', 'complaint']]));
  });

  it('takes an expired entry for none', async () => {
    await add('a@example.com', { expiresAt: inSeconds(-1) });
    expect(await add('a@example.com', { expiresAt: inSeconds(30), origin: 'manual' })).toBe(true);
    expect(await list.matching(accountId, ['a@example.com'])).toEqual(new Map([['a@example.com', 'manual']]));
  });

  it('adds only if the transaction of the caller does', async () => {
    const failing = db.database.transaction(async (tx) => {
      await list.add(tx, { accountId, address: 'a@example.com', origin: 'bounce', reason: null, sourceId: null });
      throw new Error('not after all');
    });
    await expect(failing).rejects.toThrow('not after all');
    expect((await list.matching(accountId, ['a@example.com'])).size).toBe(0);
  });

  it('gives a complaint the place of an entry that lasts as long, and no other origin', async () => {
    await add('a@example.com', { origin: 'manual' });
    expect(await add('a@example.com', { origin: 'complaint' })).toBe(true);
    expect(await add('a@example.com', { origin: 'manual' })).toBe(false);
    expect(await list.matching(accountId, ['a@example.com'])).toEqual(new Map([['a@example.com', 'complaint']]));
  });

  it('matches entries of a domain for mail of that domain only, beside those of the whole account', async () => {
    const [mine, other] = [newId('dom'), newId('dom')];
    await add('a@example.com', { domainId: mine, origin: 'unsubscribe' });
    await add('b@example.com');
    await add('b@example.com', { domainId: mine, origin: 'manual' });
    const asked = ['a@example.com', 'b@example.com'];
    const answers = await Promise.all([mine, other, undefined].map((id) => list.matching(accountId, asked, id)));
    expect(answers.map((answer) => [...answer])).toEqual([
      [
        ['a@example.com', 'unsubscribe'],
        ['b@example.com', 'bounce'],
      ],
      [['b@example.com', 'bounce']],
      [['b@example.com', 'bounce']],
    ]);
  });

  it('tells of every entry that is made, and of no other, in the transaction that makes it', async () => {
    await add('a@example.com', { reason: '550 no such user', sourceId: 'em_1' });
    await add('a@example.com');
    const { rows } = await db.database.query(
      `SELECT key, sequence, type, domain_id, test, data FROM ${OUTBOX_EVENTS} WHERE account_id = $1`,
      [accountId],
    );
    expect(rows).toMatchObject([
      {
        key: expect.stringMatching(/^sup_[0-9a-f]{32}$/) as string,
        sequence: 1,
        type: 'suppression.added',
        domain_id: null,
        test: false,
        data: { email: 'a@example.com', origin: 'bounce', reason: '550 no such user', source_id: 'em_1' },
      },
    ]);
  });
});

describe('SuppressionEntries', () => {
  it('pages by the beginning of an address in the same order, however many begin so', async () => {
    await db.database.query(
      `INSERT INTO suppressions (id, account_id, address, origin)
       SELECT 'sup_' || lpad(to_hex(n), 32, '0'), $1, 'u' || n || '@example.com', 'manual' FROM generate_series(1, 20100) n`,
      [accountId],
    );
    const entries = new SuppressionEntries(db.database, new SuppressionCache(db.database, db.config));
    const seen = async (q: string, cursor: { after?: string; before?: string } = {}) =>
      (await entries.page(wholeAccount(accountId), { q }, { limit: 2, ...cursor })).data.map(({ email }) => email);
    const { data } = await entries.page(wholeAccount(accountId), { q: 'u' }, { limit: 2 });
    expect(data.map(({ email }) => email)).toEqual(['u20100@example.com', 'u20099@example.com']);
    expect(await seen('u', { after: data[1].id })).toEqual(['u20098@example.com', 'u20097@example.com']);
    expect(await seen('u', { before: data[1].id })).toEqual(['u20100@example.com']);
    expect(await seen('u2010')).toEqual(['u20100@example.com', 'u2010@example.com']);
    expect(await seen('v')).toEqual([]);
  });

  it('finds a part of an address or a reason, and examines at most 20,000 entries for a page', async () => {
    await db.database.query(
      `INSERT INTO suppressions (id, account_id, address, origin, reason)
       SELECT 'sup_1' || lpad(to_hex(n), 31, '0'), $1, 'u' || n || '@example.com', 'manual', CASE WHEN n % 20099 = 1 THEN 'Left Us' END
         FROM generate_series(1, 20100) n`,
      [accountId],
    );
    const entries = new SuppressionEntries(db.database, new SuppressionCache(db.database, db.config));
    const page = async (search: string, cursor: { after?: string; before?: string } = {}) => {
      const found = await entries.page(wholeAccount(accountId), { search }, { limit: 2, ...cursor });
      return { found: found.data.map(({ email }) => email), next: found.next_cursor };
    };
    expect((await page('10@EXAMPLE')).found).toEqual(['u20010@example.com', 'u19910@example.com']);
    const first = await page('left us');
    expect(first.found).toEqual(['u20100@example.com']);
    expect(await page('left us', { after: first.next ?? '' })).toEqual({ found: ['u1@example.com'], next: null });
    const oldest = await page('left us', { before: `sup_${'0'.repeat(32)}` });
    expect(oldest.found).toEqual(['u1@example.com']);
    expect(await page('left us', { before: oldest.next ?? '' })).toEqual({ found: ['u20100@example.com'], next: null });
  });
});

describe('SuppressionCache', () => {
  const lists = (program: 'gateway' | 'delivery' = 'gateway') =>
    new SuppressionCache(db.database, new Config(program, db.config.settings));
  const insert = (entries: number) =>
    db.database.query(
      `INSERT INTO suppressions (id, account_id, address, origin)
       SELECT 'sup_' || md5($1 || n), $1, 'u' || n || '@example.com', 'manual' FROM generate_series(1, $2::int) n`,
      [accountId, entries],
    );

  it('know what is on no list where mail is accepted, and nothing where mail of others is sent', async () => {
    await insert(1_000);
    expect(await lists().isSurelyAbsent(accountId, 'u1000@example.com')).toBe(false);
    expect(await lists().isSurelyAbsent(accountId, 'u1001@example.com')).toBe(true);
    expect(await lists('delivery').isSurelyAbsent(accountId, 'u1001@example.com')).toBe(false);
  });

  it('know of entries that another process makes within a second', async () => {
    const here = lists();
    expect(await here.isSurelyAbsent(accountId, 'u1@example.com')).toBe(true);
    await insert(1);
    passTime(1_000);
    expect(await here.isSurelyAbsent(accountId, 'u1@example.com')).toBe(false);
  });

  it('know nothing of a long list', async () => {
    await insert(1_001);
    expect(await lists().isSurelyAbsent(accountId, 'fine@example.com')).toBe(false);
  });

  it('lack nothing that is being made, whenever they were read, and a removal counts at once', async () => {
    const short = lists();
    const known = new SuppressionList(db.database, short);
    const entries = new SuppressionEntries(db.database, short);
    expect(await short.isSurelyAbsent(accountId, 'gone@example.com')).toBe(true);
    await db.database.transaction(async (tx) => {
      await known.add(tx, { accountId, address: 'gone@example.com', origin: 'bounce', reason: null, sourceId: null });
      expect(await short.isSurelyAbsent(accountId, 'gone@example.com')).toBe(false);
    });
    const added = { origin: 'manual', reason: null, sourceId: null } as const;
    await entries.add(wholeAccount(accountId), [{ address: 'angry@example.com', ...added }]);
    expect((await known.listed(accountId, 'gone@example.com'))?.origin).toBe('bounce');
    expect((await known.matching(accountId, ['angry@example.com'])).size).toBe(1);
    await entries.remove(wholeAccount(accountId), [{ address: 'gone@example.com', domainId: null }], {
      force: false,
      onRemoved: async () => undefined,
    });
    expect(await known.listed(accountId, 'gone@example.com')).toBeNull();
  });
});
