import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, wholeAccount, type Visibility } from '#libs/contracts';
import { DomainEntity, SendingDomains } from '#libs/domains';
import { EmailList, type EmailFilter } from '#libs/emails';
import { SecretBox } from '#libs/kernel';
import { DOMAINS, insertMessages } from '../../../bench/list/fill.mjs';
import type { SearchSegments } from '../../../libs/emails/src/queries/list/search-segments.js';
import { tableReads } from '../../support/persistence/table-reads.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const MAILS = 40_000;
/** The sixth run of a prepared statement is the first with a plan for any values. */
const TIMES = 7;

describe('a list of an account of which the planner knows nothing yet', () => {
  let db: OpenTestDatabase;
  let list: EmailList;
  const accountId = newId('acc');

  beforeAll(async () => {
    db = await createTestDatabase([DomainEntity], 1);
    for (const table of ['emails', 'recipients', 'email_tags'])
      await db.database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    await insertMessages(db.url, accountId, MAILS);
    await db.database.query(
      `UPDATE emails SET claimed_on_accept = true, status = 'delivered', last_event = 'delivered' WHERE status = 'bounced'`,
    );
    await db.database.query(`UPDATE emails SET mode = 'test' WHERE domain_id = $1 AND status = 'complained'`, [
      DOMAINS.oldest,
    ]);
    const entries = db.dataSource.getRepository(DomainEntity);
    list = new EmailList(
      db.database,
      new SendingDomains(entries, db.database, new SecretBox(Buffer.alloc(32, 7)), db.config),
      { request: () => undefined } as unknown as SearchSegments,
    );
  }, 120_000);
  afterAll(() => db?.close());

  it.each<[string, EmailFilter, number, Partial<Visibility>?]>([
    ['status', { status: 'delivered' }, 20],
    ['status of few', { status: 'complained' }, 20],
    ['status of none', { status: 'sending' }, 0],
    ['status of what waits', { status: 'queued' }, 0],
    ['last event of what waits', { lastEvent: 'queued' }, 0],
    ['last event of mails that went at once', { lastEvent: 'delivered' }, 20],
    ['last event', { lastEvent: 'opened' }, 20],
    ['recipient', { to: 'half@customer.example' }, 20],
    ['domain of a recipient', { recipientDomain: 'customer.example' }, 20],
    ['domain of few recipients', { recipientDomain: 'old.example' }, 20],
    ['domain of no recipient', { recipientDomain: 'none.example' }, 0],
    ['what waits', { waiting: true }, 0],
    ['what waits at a domain', { waiting: true, recipientDomain: 'old.example' }, 0],
    ['sender', { from: 'oldest@sender.example' }, 20],
    ['sender of none', { from: 'none@sender.example' }, 0],
    ['domain', { domain: DOMAINS.oldest }, 20],
    ['subject', { subject: 'order' }, 20],
    ['subject of few', { subject: 'oldest' }, 20],
    ['tag', { tags: { campaign: 'oldest' } }, 20],
    ['time', { createdBefore: new Date(Date.now() - 59.8 * 86_400_000) }, 20],
    ['status and sender', { status: 'complained', from: 'half@sender.example' }, 0],
    ['what a test key sees', {}, 20, { mode: 'test' }],
    ['what a test key sees and status', { status: 'delivered' }, 0, { mode: 'test' }],
    ['what a limited key sees', {}, 20, { domainIds: new Set([DOMAINS.oldest]) }],
    ['what a key with two domains sees', {}, 20, { domainIds: new Set([DOMAINS.oldest, DOMAINS.none]) }],
    ['what a limited key sees and sender', { from: 'half@sender.example' }, 0, { domainIds: new Set([DOMAINS.none]) }],
    ['what a limited test key sees', {}, 0, { mode: 'test', domainIds: new Set([DOMAINS.half]) }],
    ['status, recipient and tag', { status: 'delivered', to: 'half@customer.example', tags: { campaign: 'half' } }, 20],
  ])('by %s reads what it shows, and not all mails', async (_, filter, wanted, visibility = {}) => {
    for (let i = 0; i < TIMES; i++) {
      let found = 0;
      const reads = await tableReads(db.database, async () => {
        found = (await list.page({ ...wholeAccount(accountId), ...visibility }, filter, { limit: 20 })).data.length;
      });
      expect(found).toBe(wanted);
      expect(reads.rows).toBeLessThan(MAILS / 10);
      expect(reads.pages).toBeLessThan(MAILS / 8);
    }
  });
});
