import { requestNotice, type Database } from '#libs/persistence';

/** Shorter failures, such as a deployment, are not worth a mail. */
const NOTICE_AFTER = `interval '5 minutes'`;
const BATCH = 100;

/**
 * Requests a notice for each endpoint that has accepted nothing for five minutes: one per day on which it began to fail.
 * Returns how many.
 */
export async function noticeFailingWebhooks(database: Database): Promise<number> {
  const { rows } = await database.query<{ id: string; account_id: string; url: string; failing_since: Date }>(
    `SELECT id, account_id, url, failing_since FROM webhooks w
      WHERE status = 'enabled' AND failing_since < now() - ${NOTICE_AFTER}
        AND NOT EXISTS (
          SELECT FROM notices n WHERE n.account_id = w.account_id AND n.cause = 'webhook.failing ' || w.id
             AND n.day = (w.failing_since AT TIME ZONE 'UTC')::date)
      ORDER BY failing_since LIMIT ${BATCH}`,
  );
  for (const { id, account_id: accountId, url, failing_since: since } of rows) {
    const facts = { webhook_id: id, url, failing_since: since.toISOString() };
    await requestNotice(database, { accountId, kind: 'webhook.failing', facts, subject: id, day: since });
  }
  return rows.length;
}
