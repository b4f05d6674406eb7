import type { Database, Worker } from '#libs/persistence';
import type { HostedUnsubscribe } from '../unsubscribe/hosted-unsubscribe.js';
import type { DeliveryJob } from './delivery-job.js';

interface ClaimRow {
  email_id: string;
  ordinal: number;
  address: string;
  domain: string;
  attempts: number;
  fence: number;
  expires_at: Date;
  smtp_enhanced: string | null;
  account_id: string;
  domain_id: string;
  mode: string;
  sender: string;
  to: string[];
  cc: string[];
  reply_to: string[];
  subject: string;
  tags: Record<string, string>;
  message_id: string;
  recipient_count: number;
  created_at: Date;
  scheduled_at: Date | null;
  sandbox_result: string | null;
  unsubscribe: HostedUnsubscribe | null;
}

/**
 * Takes due recipients under this worker. SKIP LOCKED: any number of workers claim at once without waiting for each
 * other. The database's clock decides what is due.
 */
export async function claimDue(
  database: Database,
  worker: Pick<Worker, 'id' | 'life'>,
  limit: number,
): Promise<DeliveryJob[]> {
  // Before the question: should we be declared dead meanwhile, the claim counts as lost.
  const { life } = worker;
  const { rows } = await database.query<ClaimRow>({
    name: 'ledger-claim',
    text: `WITH due AS (
             SELECT email_id, ordinal FROM recipients
             WHERE due_at <= now() AND claimed_by IS NULL
             ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED),
           claimed AS (
             UPDATE recipients r SET claimed_by = $1, fence = r.fence + 1, status = 'sending', wait = NULL FROM due
             WHERE r.email_id = due.email_id AND r.ordinal = due.ordinal
             RETURNING r.email_id, r.ordinal, r.address, r.domain, r.attempts, r.fence, r.expires_at, r.smtp_enhanced)
           SELECT c.*, e.account_id, e.domain_id, e.mode, e.sender, e.header_to AS to, e.header_cc AS cc, e.reply_to, e.subject, e.tags, e.message_id,
                  e.recipient_count, e.created_at, e.scheduled_at, e.sandbox_result, e.unsubscribe
           FROM claimed c JOIN emails e ON e.id = c.email_id ORDER BY c.email_id, c.ordinal`,
    values: [worker.id, limit],
  });
  const jobs = new Map<string, DeliveryJob>();
  for (const row of rows) {
    const key = `${row.email_id} ${row.unsubscribe === null ? row.domain : row.ordinal}`;
    const job = jobs.get(key) ?? toJob(row, life);
    jobs.set(key, job);
    job.recipients.push({
      ordinal: row.ordinal,
      address: row.address,
      attempts: row.attempts,
      fence: row.fence,
      expiresAt: row.expires_at,
      previousEnhanced: row.smtp_enhanced,
    });
  }
  return [...jobs.values()];
}

function toJob(row: ClaimRow, life: number): DeliveryJob {
  return {
    mail: {
      id: row.email_id,
      accountId: row.account_id,
      domainId: row.domain_id,
      test: row.mode === 'test',
      sender: row.sender,
      to: row.to,
      cc: row.cc,
      replyTo: row.reply_to,
      subject: row.subject,
      tags: row.tags,
      messageId: row.message_id,
      createdAt: row.created_at,
      recipientCount: row.recipient_count,
      sandboxResult: row.sandbox_result,
      unsubscribe: row.unsubscribe,
      releasedAt: row.scheduled_at ?? row.created_at,
    },
    domain: row.domain,
    recipients: [],
    life,
    reservedBytes: 0,
  };
}
