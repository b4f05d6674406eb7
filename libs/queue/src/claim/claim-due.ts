import type { DomainView } from '#libs/domains';
import type { DeliveryJob, HostedUnsubscribe, Tracking } from '#libs/emails';
import type { Database, Worker } from '#libs/persistence';

/** Limits of one claim, in recipients per recipient domain. */
export interface ClaimLimits {
  /** For domains that `byDomain` does not name. */
  perDomain: number;
  /** 0: claim none. */
  byDomain: Readonly<Record<string, number>>;
}

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
  api_key_id: string | null;
  mode: string;
  sender: string;
  to: string[];
  cc: string[];
  reply_to: string[];
  subject: string;
  tags: Record<string, string>;
  message_id: string;
  recipient_count: number;
  sequence: number;
  created_at: Date;
  scheduled_at: Date | null;
  sandbox_result: string | null;
  unsubscribe: HostedUnsubscribe | null;
  /** Null: the domain was removed. */
  tracking: Tracking | null;
  envelope: DomainView['envelope'] | null;
}

/** Result of one walk over the domains. `reached` is the last domain visited; '' at the end of the list. */
interface Stage {
  rows: ClaimRow[];
  reached: string;
}

/** Recipients marked as due by one statement. */
const MARK_BATCH = 1_000;
/** Domains visited by one claim, with or without available slots. */
const DOMAINS_PER_ROUND = 400;
const IS_DUE = 'due_at IS NOT NULL AND claimed_by IS NULL AND is_due';

/**
 * Claims due recipients for this worker, domain by domain. Each claim continues where the last one stopped, takes at
 * most the limit of each domain, oldest first, and skips a domain without available slots at the cost of one index
 * look-up. SKIP LOCKED lets any number of workers claim at once without waiting for each other. The clock of the
 * database decides what is due.
 */
export class DueClaims {
  /** The domain after which the next claim starts. */
  private lastDomain = '';

  constructor(
    private readonly database: Database,
    private readonly worker: Pick<Worker, 'id' | 'epoch'>,
  ) {}

  async claim(limit: number, limits: ClaimLimits): Promise<DeliveryJob[]> {
    await this.markDue();
    // Read before the query: if this worker is declared dead meanwhile, the claim counts as lost.
    const { epoch } = this.worker;
    const from = this.lastDomain;
    const { rows, reached } = await this.stage(limit, limits, { from, to: null });
    this.lastDomain = reached;
    if (reached === '' && from !== '' && rows.length < limit) {
      const rest = await this.stage(limit - rows.length, limits, { from: '', to: from });
      rows.push(...rest.rows);
      this.lastDomain = rest.reached;
    }
    return toJobs(rows, epoch);
  }

  /** Age in seconds of the oldest due recipient; with a backlog over many domains, among the first thousand domains. */
  async oldestDue(): Promise<number> {
    const { rows } = await this.database.query<{ seconds: number | null }>(
      `WITH RECURSIVE ${WALK('$1', null, 1_000)},
            oldest AS (
              SELECT (SELECT r.due_at FROM recipients r WHERE r.domain = walk.domain AND ${IS_DUE} ORDER BY r.due_at LIMIT 1) AS due_at FROM walk
              UNION ALL
              (SELECT due_at FROM recipients WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due IS NULL ORDER BY due_at LIMIT 1))
       SELECT extract(epoch FROM now() - min(due_at))::float AS seconds FROM oldest`,
      [''],
    );
    return Math.max(0, rows[0].seconds ?? 0);
  }

  /** Marks recipients whose due time has come, so that the per-domain index contains them. */
  private async markDue(): Promise<void> {
    await this.database.query({
      name: 'queue-mark-due',
      text: `WITH due AS (
               SELECT email_id, ordinal FROM recipients
               WHERE due_at <= now() AND claimed_by IS NULL AND is_due IS NULL
               ORDER BY due_at LIMIT ${MARK_BATCH} FOR UPDATE SKIP LOCKED)
             UPDATE recipients r SET is_due = true FROM due WHERE r.email_id = due.email_id AND r.ordinal = due.ordinal`,
      values: [],
    });
  }

  private async stage(limit: number, limits: ClaimLimits, walk: { from: string; to: string | null }): Promise<Stage> {
    const { rows } = await this.database.query<ClaimRow & { reached: string | null; steps: number | null }>({
      name: 'queue-claim',
      text: CLAIM,
      values: [this.worker.id, limit, walk.from, walk.to, limits.perDomain, JSON.stringify(limits.byDomain)],
    });
    const claimed = rows.filter((row) => row.email_id !== null);
    if (claimed.length >= limit) return { rows: claimed, reached: claimed.reduce(later, '') };
    const [{ reached, steps }] = rows;
    return { rows: claimed, reached: steps === DOMAINS_PER_ROUND ? (reached ?? '') : '' };
  }
}

const later = (reached: string, { domain }: ClaimRow): string => (domain > reached ? domain : reached);

/**
 * A loose index scan: one index look-up per domain. It is lazy, so that a claim with enough recipients ends the walk.
 */
const WALK = (from: string, to: string | null, steps: number): string => {
  const next = (behind: string) =>
    `SELECT r.domain FROM recipients r WHERE r.domain > ${behind} ${to ? `AND (${to}::text IS NULL OR r.domain <= ${to})` : ''} AND ${IS_DUE}
     ORDER BY r.domain LIMIT 1`;
  return `walk AS (
    (SELECT first.domain, 1 AS step FROM (${next(from)}) AS first)
    UNION ALL
    SELECT following.domain, walk.step + 1 FROM walk CROSS JOIN LATERAL (${next('walk.domain')}) AS following
    WHERE walk.step < ${steps})`;
};

const CLAIM = `
  WITH RECURSIVE ${WALK('$3', '$4', DOMAINS_PER_ROUND)},
  due AS (
    SELECT front.email_id, front.ordinal FROM walk CROSS JOIN LATERAL (
      SELECT r.email_id, r.ordinal FROM recipients r
      WHERE r.domain = walk.domain AND ${IS_DUE} AND r.due_at <= now()
      ORDER BY r.due_at LIMIT COALESCE(($6::jsonb ->> walk.domain)::int, $5::int) FOR UPDATE SKIP LOCKED) AS front
    LIMIT $2),
  claimed AS (
    UPDATE recipients r SET claimed_by = $1, fence = r.fence + 1, status = 'sending', wait_reason = NULL, is_due = NULL FROM due
    WHERE r.email_id = due.email_id AND r.ordinal = due.ordinal
    RETURNING r.email_id, r.ordinal, r.address, r.domain, r.attempts, r.fence, r.expires_at, r.smtp_enhanced),
  walked AS (
    SELECT max(domain) AS reached, max(step) AS steps FROM walk WHERE (SELECT count(*) FROM due) < $2)
  SELECT walked.reached, walked.steps, c.* FROM walked LEFT JOIN (
    SELECT claimed.*, e.account_id, e.domain_id, e.api_key_id, e.mode, e.sender, e.header_to AS to, e.header_cc AS cc, e.reply_to, e.subject, e.tags,
           e.message_id, e.recipient_count, e.sequence, e.created_at, e.scheduled_at, e.sandbox_result, e.unsubscribe, e.tracking,
           d.envelope
    FROM claimed JOIN emails e ON e.id = claimed.email_id LEFT JOIN domains d ON d.id = e.domain_id) AS c ON true
  ORDER BY c.email_id, c.ordinal`;

/**
 * One job per message and recipient domain, or per recipient where each has an unsubscribe link, tracking links or an envelope of its
 * own.
 */
function toJobs(rows: readonly ClaimRow[], epoch: number): DeliveryJob[] {
  const jobs = new Map<string, DeliveryJob>();
  for (const row of rows) {
    const isSeparate = row.unsubscribe !== null || row.tracking !== null || row.envelope === 'per_recipient';
    const key = `${row.email_id} ${isSeparate ? row.ordinal : row.domain}`;
    const job = jobs.get(key) ?? toJob(row, epoch);
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

function toJob(row: ClaimRow, epoch: number): DeliveryJob {
  return {
    email: {
      id: row.email_id,
      accountId: row.account_id,
      domainId: row.domain_id,
      apiKeyId: row.api_key_id,
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
      sequence: row.sequence,
      sandboxResult: row.sandbox_result,
      unsubscribe: row.unsubscribe,
      tracking: row.tracking,
      releasedAt: row.scheduled_at ?? row.created_at,
    },
    domain: row.domain,
    recipients: [],
    epoch,
    reservedBytes: 0,
  };
}
