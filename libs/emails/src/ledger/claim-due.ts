import type { Database, Worker } from '#libs/persistence';
import type { HostedUnsubscribe } from '../unsubscribe/hosted-unsubscribe.js';
import type { DeliveryJob } from './delivery-job.js';

/** How many recipients may be claimed for one domain in one round. */
export interface ClaimRooms {
  /** Where nothing else is said. */
  each: number;
  /** 0: none at all. */
  of: Readonly<Record<string, number>>;
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
}

/** One stage of the walk: the claims, and the domain to go on behind; '' when there is none behind. */
interface Stage {
  rows: ClaimRow[];
  reached: string;
}

/** How many recipients step into their domains' lines in one round. */
const RIPEN_AT_ONCE = 1_000;
/** Domains that one round looks at, whether there is room for them or not. */
const STEPS = 400;
const RIPE = 'due_at IS NOT NULL AND claimed_by IS NULL AND ripe';

/**
 * Takes due recipients under this worker, domain by domain: each round goes on where the last one stopped, takes at most
 * a domain's room, the oldest first, and steps over a domain without room by one look at the index. SKIP LOCKED: any
 * number of workers claim at once without waiting for each other. The database's clock decides what is due.
 */
export class DueClaims {
  /** The domain behind which the next round begins. */
  private reached = '';

  constructor(
    private readonly database: Database,
    private readonly worker: Pick<Worker, 'id' | 'life'>,
  ) {}

  async claim(limit: number, rooms: ClaimRooms): Promise<DeliveryJob[]> {
    await this.ripen();
    // Before the question: should we be declared dead meanwhile, the claim counts as lost.
    const { life } = this.worker;
    const from = this.reached;
    const { rows, reached } = await this.stage(limit, rooms, { from, to: null });
    this.reached = reached;
    if (reached === '' && from !== '' && rows.length < limit) {
      const rest = await this.stage(limit - rows.length, rooms, { from: '', to: from });
      rows.push(...rest.rows);
      this.reached = rest.reached;
    }
    return toJobs(rows, life);
  }

  /** Seconds for which the oldest due mail has waited; of a backlog over many domains, in the first thousand of them. */
  async oldestDue(): Promise<number> {
    const { rows } = await this.database.query<{ seconds: number | null }>(
      `WITH RECURSIVE ${WALK('$1', null, 1_000)},
            oldest AS (
              SELECT (SELECT r.due_at FROM recipients r WHERE r.domain = walk.domain AND ${RIPE} ORDER BY r.due_at LIMIT 1) AS due_at FROM walk
              UNION ALL
              (SELECT due_at FROM recipients WHERE due_at IS NOT NULL AND claimed_by IS NULL AND ripe IS NULL ORDER BY due_at LIMIT 1))
       SELECT extract(epoch FROM now() - min(due_at))::float AS seconds FROM oldest`,
      [''],
    );
    return Math.max(0, rows[0].seconds ?? 0);
  }

  /** What has become due steps into the line of its domain. */
  private async ripen(): Promise<void> {
    await this.database.query({
      name: 'ledger-ripen',
      text: `WITH due AS (
               SELECT email_id, ordinal FROM recipients
               WHERE due_at <= now() AND claimed_by IS NULL AND ripe IS NULL
               ORDER BY due_at LIMIT ${RIPEN_AT_ONCE} FOR UPDATE SKIP LOCKED)
             UPDATE recipients r SET ripe = true FROM due WHERE r.email_id = due.email_id AND r.ordinal = due.ordinal`,
      values: [],
    });
  }

  private async stage(limit: number, rooms: ClaimRooms, walk: { from: string; to: string | null }): Promise<Stage> {
    const { rows } = await this.database.query<ClaimRow & { reached: string | null; steps: number | null }>({
      name: 'ledger-claim',
      text: CLAIM,
      values: [this.worker.id, limit, walk.from, walk.to, rooms.each, JSON.stringify(rooms.of)],
    });
    const claimed = rows.filter((row) => row.email_id !== null);
    if (claimed.length >= limit) return { rows: claimed, reached: claimed.reduce(later, '') };
    const [{ reached, steps }] = rows;
    return { rows: claimed, reached: steps === STEPS ? (reached ?? '') : '' };
  }
}

const later = (reached: string, { domain }: ClaimRow): string => (domain > reached ? domain : reached);

/** From domain to domain by one look at the index each; lazily, so a claim that has enough ends the walk. */
const WALK = (from: string, to: string | null, steps: number): string => {
  const next = (behind: string) =>
    `SELECT r.domain FROM recipients r WHERE r.domain > ${behind} ${to ? `AND (${to}::text IS NULL OR r.domain <= ${to})` : ''} AND ${RIPE}
     ORDER BY r.domain LIMIT 1`;
  return `walk AS (
    (SELECT first.domain, 1 AS step FROM (${next(from)}) AS first)
    UNION ALL
    SELECT following.domain, walk.step + 1 FROM walk CROSS JOIN LATERAL (${next('walk.domain')}) AS following
    WHERE walk.step < ${steps})`;
};

const CLAIM = `
  WITH RECURSIVE ${WALK('$3', '$4', STEPS)},
  due AS (
    SELECT front.email_id, front.ordinal FROM walk CROSS JOIN LATERAL (
      SELECT r.email_id, r.ordinal FROM recipients r
      WHERE r.domain = walk.domain AND ${RIPE} AND r.due_at <= now()
      ORDER BY r.due_at LIMIT COALESCE(($6::jsonb ->> walk.domain)::int, $5::int) FOR UPDATE SKIP LOCKED) AS front
    LIMIT $2),
  claimed AS (
    UPDATE recipients r SET claimed_by = $1, fence = r.fence + 1, status = 'sending', wait = NULL, ripe = NULL FROM due
    WHERE r.email_id = due.email_id AND r.ordinal = due.ordinal
    RETURNING r.email_id, r.ordinal, r.address, r.domain, r.attempts, r.fence, r.expires_at, r.smtp_enhanced),
  walked AS (
    SELECT max(domain) AS reached, max(step) AS steps FROM walk WHERE (SELECT count(*) FROM due) < $2)
  SELECT walked.reached, walked.steps, c.* FROM walked LEFT JOIN (
    SELECT claimed.*, e.account_id, e.domain_id, e.mode, e.sender, e.header_to AS to, e.header_cc AS cc, e.reply_to, e.subject, e.tags,
           e.message_id, e.recipient_count, e.sequence, e.created_at, e.scheduled_at, e.sandbox_result, e.unsubscribe
    FROM claimed JOIN emails e ON e.id = claimed.email_id) AS c ON true
  ORDER BY c.email_id, c.ordinal`;

/** One job per mail and recipient domain, or per recipient where each has a link of his own. */
function toJobs(rows: readonly ClaimRow[], life: number): DeliveryJob[] {
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
      sequence: row.sequence,
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
