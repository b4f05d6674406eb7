import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, wholeAccount, type AddressErasure } from '#libs/contracts';
import { DomainEntity, SendingDomains } from '#libs/domains';
import { EmailErasure, EmailList, type EmailFilter } from '#libs/emails';
import { Log, SecretBox, Shutdown } from '#libs/kernel';
import { insertMessages } from '../../../bench/list/fill.mjs';
import { SearchSegments } from '../../../libs/emails/src/queries/list/search-segments.js';
import { tableReads } from '../../support/persistence/table-reads.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

/** `SEARCH_EMAILS=220000` measures a large account; what a page may read does not depend on it. */
const MAILS = Number(process.env['SEARCH_EMAILS'] ?? 30_000);
/** A page examines at most 20,000 emails, and reads the positions of as many. */
const MOST_ROWS = 45_000;
const LIMIT = 20;

describe('the search of emails', () => {
  let db: OpenTestDatabase;
  let list: EmailList;
  let segments: SearchSegments;
  const accountId = newId('acc');

  beforeAll(async () => {
    db = await createTestDatabase([DomainEntity], 1);
    await insertMessages(db.url, accountId, MAILS);
    await db.database.query(
      `UPDATE emails SET subject = 'Hello Ada & Märta', sender = 'Grace Hopper <grace@sender.example>', header_cc = '{copy@other.example}'
        WHERE id IN (SELECT id FROM emails ORDER BY id OFFSET 2000 LIMIT 2)`,
    );
    await db.database.query('VACUUM ANALYZE emails');
    const entries = db.dataSource.getRepository(DomainEntity);
    const domains = new SendingDomains(entries, db.database, new SecretBox(Buffer.alloc(32, 7)), db.config);
    segments = new SearchSegments(db.database, new Shutdown(Log.quiet()), Log.quiet());
    list = new EmailList(db.database, domains, { request: () => undefined } as unknown as SearchSegments);
  }, 600_000);
  afterAll(() => db?.close());

  const page = (filter: EmailFilter, request: object = {}) =>
    list.page(wholeAccount(accountId), filter, { limit: LIMIT, ...request });

  /** Follows the cursors to the end. */
  async function all(filter: EmailFilter, direction: 'after' | 'before' = 'after'): Promise<string[]> {
    const ids: string[] = [];
    let request: object = direction === 'after' ? {} : { before: `em_${'0'.repeat(32)}` };
    for (;;) {
      const { data, has_more, next_cursor } = await page(filter, { limit: 100, ...request });
      const found = data.map(({ id }) => id);
      ids.push(...(direction === 'after' ? found : found.reverse()));
      if (!has_more) return ids;
      request = { [direction]: next_cursor };
    }
  }

  const trueIds = async (like: string) =>
    (
      await db.database.query<{ id: string }>(
        `SELECT id FROM emails WHERE subject ILIKE $1 OR sender ILIKE $1 OR header_to::text ILIKE $1 OR header_cc::text ILIKE $1
          OR tags::text ILIKE $1 ORDER BY id DESC`,
        [`%${like}%`],
      )
    ).rows.map(({ id }) => id);

  const SEARCHES = ['ada', 'lo ad', 'HOPPER', 'copy@', 'märta', `user${MAILS - 9}`, 'oldest@old', 'zebra', 'a'];

  describe.each(['without', 'with'])('%s segments', (state) => {
    beforeAll(async () => {
      if (state === 'with') while (await segments.buildNext(accountId));
    }, 300_000);

    it.each(SEARCHES)('reads a bounded part of the account for a page of %s', async (search) => {
      const { rows, pages } = await tableReads(db.database, () => page({ search }));
      expect(rows).toBeLessThan(MOST_ROWS);
      if (process.env['SEARCH_EMAILS']) console.log(`${state} segments, ${search}: ${rows} rows, ${pages} pages`);
    });
  });

  it('finds an email by what an erasure has written into it, and no more by what it has removed', async () => {
    const { rows } = await db.database.query<{ id: string }>('SELECT id FROM emails ORDER BY id OFFSET 4500 LIMIT 1');
    const [{ id }] = rows;
    const edit = (from: string, to: string) => (text: string) => text.replaceAll(from, to);
    const [address, erasedAs] = ['copy@before.example', 'erased-7f3a@erased.invalid'];
    await db.database.query('UPDATE emails SET header_to = $2 WHERE id = $1', [id, [address]]);
    await db.database.transaction((tx) =>
      new EmailErasure(tx, {
        accountId,
        address,
        erasedAs,
        rewrite: edit(address, erasedAs),
        rewriteJson: <T>(value: T) => JSON.parse(edit(address, erasedAs)(JSON.stringify(value))) as T,
      } as AddressErasure).eraseFrom(id),
    );
    const counted = await db.database.query<{ count: number }>('SELECT count(*)::int AS count FROM search_segments');
    expect(counted.rows[0].count).toBe(4);
    for (const state of ['before', 'after']) {
      expect([state, await all({ search: 'erased-7f3a' })]).toEqual([state, [id]]);
      expect([state, await all({ search: address })]).toEqual([state, []]);
      while (await segments.buildNext(accountId));
    }
  });

  it.each(['ada', 'lo ad', 'HOPPER', 'copy@', 'märta', 'oldest@old'])(
    'finds all emails with %s, in both directions',
    async (search) => {
      const ids = await trueIds(search);
      expect(ids.length).toBeGreaterThan(0);
      expect(await all({ search })).toEqual(ids);
      expect(await all({ search }, 'before')).toEqual(ids.toReversed());
    },
  );
});
