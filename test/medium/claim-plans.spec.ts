import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmailLedger } from '#libs/emails';
import { openPostOffices, type PostOffice, type PostOffices } from '../support/post-office.js';

/** Recipients that wait; POSTLOFT_PENDING=1000000 for the promised count. */
const PENDING = Number(process.env['POSTLOFT_PENDING'] ?? 40_000);
const LIMIT = 50;
const TIMES = 9;
/** A claim that walks over a backlog takes more than a hundred times as long as one that does not. */
const RATIO = 12;

describe('a claim beside a backlog', () => {
  let offices: PostOffices;
  let office: PostOffice;
  const run = (text: string, values: unknown[] = []) => offices.db.database.query(text, values);

  beforeAll(async () => {
    offices = await openPostOffices();
    office = await offices.open();
    for (const table of ['emails', 'recipients']) await run(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  }, 60_000);
  afterEach(() => run('TRUNCATE recipients, emails'));
  afterAll(() => offices?.close());

  /** `count` mails with one recipient each, in `domains` domains; due since, or only in, some time. */
  async function fill(of: {
    name: string;
    count: number;
    domains: number;
    ripe: boolean;
    dueIn: string;
  }): Promise<void> {
    const domainId = (await offices.db.database.query<{ id: string }>('SELECT id FROM domains')).rows[0].id;
    await run(
      `INSERT INTO emails (id, account_id, domain_id, mode, source, status, last_event, sender, header_to, header_cc, header_bcc, reply_to,
                           subject, tags, message_id, size, recipient_count, sequence, created_at, updated_at)
       SELECT 'em_' || $1 || lpad(i::text, 8, '0'), $2, $3, 'live', 'rest', 'queued', 'queued', 'a@sender.example', '{}', '{}', '{}', '{}',
              's', '{}', '<m>', 1, 1, 1, now(), now()
       FROM generate_series(1, $4::int) AS i`,
      [of.name, offices.accountId, domainId, of.count],
    );
    await run(
      `INSERT INTO recipients (email_id, ordinal, address, domain, type, status, due_at, expires_at, ripe)
       SELECT 'em_' || $1 || lpad(i::text, 8, '0'), 0, 'x@' || $1 || (i % $2::int) || '.example', $1 || (i % $2::int) || '.example', 'to', 'queued',
              now() + $4::interval + make_interval(secs => i * 0.00001), now() + interval '3 days', $5::boolean
       FROM generate_series(1, $3::int) AS i`,
      [of.name, of.domains, of.count, of.dueIn, of.ripe ? true : null],
    );
  }

  async function fastest(claim: (ledger: EmailLedger) => Promise<unknown[]>): Promise<{ ms: number; found: number }> {
    let ms = Infinity;
    let found = 0;
    for (let i = 0; i < TIMES; i++) {
      const began = performance.now();
      found = (await claim(office.ledger)).length;
      ms = Math.min(ms, performance.now() - began);
    }
    return { ms, found };
  }

  async function control(): Promise<number> {
    await fill({ name: 'few', count: LIMIT * TIMES, domains: 20, ripe: true, dueIn: '-1 hour' });
    const { ms, found } = await fastest((ledger) => ledger.claim(LIMIT));
    expect(found).toBe(LIMIT);
    await run('TRUNCATE recipients, emails');
    return ms;
  }

  it.each([
    ['in one domain', 1],
    ['in very many domains', PENDING / 10],
  ])('takes no longer for mail that waits %s', async (_, domains) => {
    const few = await control();
    await fill({ name: 'many', count: PENDING, domains, ripe: true, dueIn: '-2 hours' });
    await run('ANALYZE recipients');
    const { ms, found } = await fastest((ledger) => ledger.claim(LIMIT));
    console.log(`${PENDING} due in ${domains} domains: ${ms.toFixed(1)} ms, few: ${few.toFixed(1)} ms`);
    expect(found).toBe(LIMIT);
    expect(ms / few).toBeLessThan(RATIO);
  });

  it('steps over the backlog of a domain without room, and finds who stands behind it', async () => {
    const few = await control();
    await fill({ name: 'full', count: PENDING, domains: 1, ripe: true, dueIn: '-2 hours' });
    await fill({ name: 'ok', count: LIMIT * TIMES, domains: 20, ripe: true, dueIn: '-1 hour' });
    const rooms = { each: 10, of: { 'full0.example': 0 } };
    const { ms, found } = await fastest((ledger) => ledger.claim(LIMIT, rooms));
    console.log(`behind ${PENDING} of a full domain: ${ms.toFixed(1)} ms, few: ${few.toFixed(1)} ms`);
    expect(found).toBe(LIMIT);
    expect(ms / few).toBeLessThan(RATIO);
  });

  it('does not look at what is not due, in however many domains it waits', async () => {
    const few = await control();
    await fill({ name: 'later', count: PENDING, domains: PENDING / 10, ripe: false, dueIn: '1 day' });
    await fill({ name: 'ok', count: LIMIT * TIMES, domains: 20, ripe: false, dueIn: '-1 hour' });
    const { ms, found } = await fastest((ledger) => ledger.claim(LIMIT));
    console.log(`beside ${PENDING} that are not due: ${ms.toFixed(1)} ms, few: ${few.toFixed(1)} ms`);
    expect(found).toBe(LIMIT);
    expect(ms / few).toBeLessThan(RATIO);
  });

  it('tells the age of the oldest without reading all', async () => {
    await fill({ name: 'many', count: PENDING, domains: PENDING / 10, ripe: true, dueIn: '-2 hours' });
    const { ms } = await fastest(async (ledger) => [await ledger.oldestDue()]);
    console.log(`age of the oldest: ${ms.toFixed(1)} ms`);
    expect(await office.ledger.oldestDue()).toBeGreaterThan(7_000);
  });
});
