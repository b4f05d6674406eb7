import type { QueueFixture } from './queue-fixture.js';

/** `count` mails with one recipient each, in `domains` domains, in the queue; due since, or only in, some time. */
export async function fillBacklog(
  { db, accountId }: QueueFixture,
  of: { name: string; count: number; domains: number; is_due: boolean; dueIn: string },
): Promise<void> {
  const run = (text: string, values: unknown[]) => db.database.query(text, values);
  const domainId = (await db.database.query<{ id: string }>('SELECT id FROM domains')).rows[0].id;
  await run(
    `INSERT INTO emails (id, account_id, domain_id, mode, source, status, last_event, sender, header_to, header_cc, header_bcc, reply_to,
                           subject, tags, message_id, size, recipient_count, sequence, created_at, updated_at)
       SELECT 'em_' || $1 || lpad(i::text, 8, '0'), $2, $3, 'live', 'rest', 'queued', 'queued', 'a@sender.example', '{}', '{}', '{}', '{}',
              's', '{}', '<m>', 1, 1, 1, now(), now()
       FROM generate_series(1, $4::int) AS i`,
    [of.name, accountId, domainId, of.count],
  );
  await run(
    `INSERT INTO recipients (email_id, ordinal, address, domain, type, status, due_at, expires_at, is_due)
       SELECT 'em_' || $1 || lpad(i::text, 8, '0'), 0, 'x@' || $1 || (i % $2::int) || '.example', $1 || (i % $2::int) || '.example', 'to', 'queued',
              now() + $4::interval + make_interval(secs => i * 0.00001), now() + interval '3 days', $5::boolean
       FROM generate_series(1, $3::int) AS i`,
    [of.name, of.domains, of.count, of.dueIn, of.is_due ? true : null],
  );
}
