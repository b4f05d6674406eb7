import { LocalNotifications, Log, Shutdown } from '#libs/kernel';
import { RemovedDomainMail } from '#libs/queue';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

/** More than one page of each status. */
const MAILS = 2_400;

let db: OpenTestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db?.close());

async function insert(
  prefix: string,
  domain: string,
  { status, claimedBy = null }: { status: string; claimedBy?: string | null },
) {
  await db.database.query(
    `INSERT INTO emails (id, account_id, domain_id, mode, source, status, last_event, sender, header_to, header_cc, header_bcc, reply_to,
                         subject, tags, message_id, size, recipient_count, sequence, created_at, updated_at)
     SELECT 'em_' || $1 || lpad(n::text, 28, '0'), 'acc_1', $2, 'live', 'rest', $3, $3, '', '{}', '{}', '{}', '{}', '', '{}', '', 1, 1, 1, now(), now()
       FROM generate_series(1, $4::int) AS n`,
    [prefix, domain, status, MAILS],
  );
  await db.database.query(
    `INSERT INTO recipients (email_id, ordinal, address, domain, type, status, due_at, expires_at, claimed_by)
     SELECT id, 1, 'a@example.net', 'example.net', 'to', status, now() + interval '1 hour', now() + interval '1 day', $2
       FROM emails WHERE id LIKE 'em_' || $1 || '%'`,
    [prefix, claimedBy],
  );
}

const due = async () =>
  (
    await db.database.query(
      `SELECT left(email_id, 7) AS prefix, count(*)::int AS due FROM recipients WHERE due_at <= now() AND is_due
        GROUP BY 1 ORDER BY 1`,
    )
  ).rows;

it('makes the waiting mail of a removed domain due, and no other', async () => {
  await insert('aaaa', 'dom_removed', { status: 'scheduled' });
  await insert('bbbb', 'dom_kept', { status: 'scheduled' });
  await insert('cccc', 'dom_removed', { status: 'deferred' });
  await insert('dddd', 'dom_removed', { status: 'queued', claimedBy: 'wrk_1' });
  const notifications = new LocalNotifications();
  let woken = 0;
  notifications.on('due-mail', () => (woken += 1));
  const shutdown = new Shutdown(Log.quiet());
  const mail = new RemovedDomainMail(db.database, notifications, Log.quiet(), shutdown);
  await mail.makeDue('acc_1', 'dom_removed');
  await shutdown.run();
  expect(await due()).toEqual([
    { prefix: 'em_aaaa', due: MAILS },
    { prefix: 'em_cccc', due: MAILS },
  ]);
  expect(woken).toBe(1);
  await mail.makeDue('acc_2', 'dom_kept');
  await shutdown.run();
  expect(await due()).toHaveLength(2);
});
