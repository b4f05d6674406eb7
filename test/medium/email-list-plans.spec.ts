import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { DomainEntity, SendingDomains } from '#libs/domains';
import { EmailList, type EmailFilter } from '#libs/emails';
import { SecretBox } from '#libs/kernel';
import { DOMAINS, fillMails } from '../../bench/list/fill.mjs';
import { createTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const MAILS = 40_000;
const TIMES = 9;
/** A page that sorts or walks all mails takes more than fifty times as long as one that does not. */
const RATIO = 15;

describe('a list of an account of which the planner knows nothing yet', () => {
  let db: OpenTestDatabase;
  let list: EmailList;
  const accountId = newId('acc');

  beforeAll(async () => {
    db = await createTestDatabase([DomainEntity]);
    for (const table of ['emails', 'recipients', 'email_tags'])
      await db.database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    await fillMails(db.url, accountId, MAILS);
    await db.database.query(
      `UPDATE emails SET direct = true, status = 'delivered', last_event = 'delivered' WHERE status = 'bounced'`,
    );
    const entries = db.dataSource.getRepository(DomainEntity);
    list = new EmailList(
      db.database,
      new SendingDomains(entries, db.database, new SecretBox(Buffer.alloc(32, 7)), db.config),
    );
  }, 120_000);
  afterAll(() => db?.close());

  async function fastest(filter: EmailFilter): Promise<{ ms: number; found: number }> {
    let ms = Infinity;
    let found = 0;
    for (let i = 0; i < TIMES; i++) {
      const began = performance.now();
      found = (await list.page(accountId, filter, { limit: 20 })).data.length;
      ms = Math.min(ms, performance.now() - began);
    }
    return { ms, found };
  }

  it.each<[string, EmailFilter, number]>([
    ['status', { status: 'delivered' }, 20],
    ['status of few', { status: 'complained' }, 20],
    ['status of none', { status: 'sending' }, 0],
    ['status of what waits', { status: 'queued' }, 0],
    ['last event of what waits', { lastEvent: 'queued' }, 0],
    ['last event of mails that went at once', { lastEvent: 'delivered' }, 20],
    ['last event', { lastEvent: 'opened' }, 20],
    ['recipient', { to: 'half@customer.example' }, 20],
    ['sender', { from: 'oldest@sender.example' }, 20],
    ['sender of none', { from: 'none@sender.example' }, 0],
    ['domain', { domain: DOMAINS.oldest }, 20],
    ['subject', { subject: 'order' }, 20],
    ['subject of few', { subject: 'oldest' }, 20],
    ['tag', { tags: { campaign: 'oldest' } }, 20],
    ['time', { createdBefore: new Date(Date.now() - 59.8 * 86_400_000) }, 20],
    ['status and sender', { status: 'complained', from: 'half@sender.example' }, 0],
    ['status, recipient and tag', { status: 'delivered', to: 'half@customer.example', tags: { campaign: 'half' } }, 20],
  ])('by %s reads what it shows, and not all mails', async (_, filter, wanted) => {
    const control = await fastest({});
    const { ms, found } = await fastest(filter);
    expect(found).toBe(wanted);
    expect(ms / control.ms).toBeLessThan(RATIO);
  });
});
