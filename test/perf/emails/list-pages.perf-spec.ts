import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, wholeAccount } from '#libs/contracts';
import { DomainEntity, SendingDomains } from '#libs/domains';
import { EmailList, type EmailFilter } from '#libs/emails';
import { SecretBox } from '#libs/kernel';
import { DOMAINS, insertMessages } from '../../../bench/list/fill.mjs';
import type { SearchSegments } from '../../../libs/emails/src/queries/list/search-segments.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const MAILS = 40_000;
const TIMES = 9;
/** A page that sorts or walks all mails takes more than fifty times as long as one that does not. */
const RATIO = 15;

describe('a page of the list of an account of which the planner knows nothing yet', () => {
  let db: OpenTestDatabase;
  let list: EmailList;
  let control: number;
  const accountId = newId('acc');

  beforeAll(async () => {
    db = await createTestDatabase([DomainEntity]);
    for (const table of ['emails', 'recipients', 'email_tags'])
      await db.database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    await insertMessages(db.url, accountId, MAILS);
    const entries = db.dataSource.getRepository(DomainEntity);
    list = new EmailList(
      db.database,
      new SendingDomains(entries, db.database, new SecretBox(Buffer.alloc(32, 7)), db.config),
      { request: () => undefined } as unknown as SearchSegments,
    );
    control = await fastest({});
  });
  afterAll(() => db?.close());

  async function fastest(filter: EmailFilter): Promise<number> {
    let ms = Infinity;
    for (let i = 0; i < TIMES; i++) {
      const began = performance.now();
      await list.page(wholeAccount(accountId), filter, { limit: 20 });
      ms = Math.min(ms, performance.now() - began);
    }
    return ms;
  }

  it.each<[string, EmailFilter]>([
    ['status', { status: 'delivered' }],
    ['status of few', { status: 'complained' }],
    ['status of none', { status: 'sending' }],
    ['last event', { lastEvent: 'opened' }],
    ['recipient', { to: 'half@customer.example' }],
    ['sender', { from: 'oldest@sender.example' }],
    ['sender of none', { from: 'none@sender.example' }],
    ['domain', { domain: DOMAINS.oldest }],
    ['subject', { subject: 'order' }],
    ['subject of few', { subject: 'oldest' }],
    ['tag', { tags: { campaign: 'oldest' } }],
    ['time', { createdBefore: new Date(Date.now() - 59.8 * 86_400_000) }],
    ['status and sender', { status: 'complained', from: 'half@sender.example' }],
    ['status, recipient and tag', { status: 'delivered', to: 'half@customer.example', tags: { campaign: 'half' } }],
  ])('by %s takes no longer than one without a filter', async (_, filter) => {
    expect((await fastest(filter)) / control).toBeLessThan(RATIO);
  });
});
