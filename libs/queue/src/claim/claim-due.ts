import type { DomainView } from '#libs/domains';
import type { DeliveryJob } from '#libs/emails';
import type { Database, Worker } from '#libs/persistence';

/** Limits of one claim, in recipients per recipient domain. */
export interface ClaimLimits {
  /** For domains that `byDomain` does not name. */
  perDomain: number;
  /** 0: claim none. */
  byDomain: Readonly<Record<string, number>>;
  /** Accounts of which nothing is claimed, by domain. */
  without?: Readonly<Record<string, readonly string[]>>;
}

interface ClaimRow {
  /** Whose turn it was: `account_id` of the recipient. */
  turn: string;
  /** Of that account. */
  weight: number;
  /** Whether further accounts have due mail in the domain. */
  is_shared: boolean;
  is_bulk: boolean;
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
  unsubscribe: DeliveryJob['email']['unsubscribe'];
  /** Null: the domain was removed. */
  tracking: DeliveryJob['email']['tracking'];
  trace_context: string | null;
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
/** Accounts that share the limit of a domain in one claim; the others have their turn in the next ones. */
const MAX_SHARERS = 64;
/** One in so many recipients of an account is bulk mail, while it has transactional mail as well. */
const BULK_ONE_IN = 10;
/** Domains with mail of several accounts whose last turn is remembered. */
const MAX_TURNS = 1_000;

/**
 * Claims due recipients for this worker, domain by domain. Each claim continues where the last one stopped, takes at
 * most the limit of each domain, and skips a domain without available slots at the cost of one index look-up. Within a
 * domain the accounts that have due mail share the limit by their weights and take turns, however much the others have.
 * Each has its transactional mail first, the oldest of it before the rest; one in ten recipients is bulk mail, if there is some. SKIP LOCKED lets any number of workers claim at once without waiting for each other. The clock of
 * the database decides what is due. See docs/decisions/009-fair-claims.md.
 */
export class DueClaims {
  /** The domain after which the next claim starts. */
  private lastDomain = '';
  /** The account after which the next turn begins, by domain. */
  private readonly lastTurn = new Map<string, string>();
  private readonly weights: string;

  constructor(
    private readonly database: Database,
    private readonly worker: Pick<Worker, 'id' | 'epoch'>,
    /** Of accounts, by plan; plans that are not named have the weight 1. */
    weights: Readonly<Record<string, number>> = {},
  ) {
    this.weights = JSON.stringify(weights);
  }

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

  /** Age in seconds of the oldest due recipient; with a backlog over many domains and accounts, among the first thousand. */
  async oldestDue(): Promise<number> {
    const { rows } = await this.database.query<{ seconds: number | null }>(
      `WITH RECURSIVE walk AS (
              (SELECT first.domain, first.account_id, 1 AS step FROM (${NEXT_TURN("('', '')")}) AS first)
              UNION ALL
              SELECT following.domain, following.account_id, walk.step + 1
                FROM walk CROSS JOIN LATERAL (${NEXT_TURN('(walk.domain, walk.account_id)')}) AS following
               WHERE walk.step < ${TURNS_LOOKED_AT}),
            oldest AS (
              SELECT (SELECT r.due_at FROM recipients r WHERE r.domain = walk.domain AND r.account_id = walk.account_id
                         AND r.is_bulk = kind.is_bulk AND ${IS_DUE} ORDER BY r.due_at LIMIT 1) AS due_at
                FROM walk CROSS JOIN (VALUES (false), (true)) AS kind (is_bulk)
              UNION ALL
              (SELECT due_at FROM recipients WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due IS NULL ORDER BY due_at LIMIT 1))
       SELECT extract(epoch FROM now() - min(due_at))::float AS seconds FROM oldest`,
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
      values: [
        this.worker.id,
        limit,
        walk.from,
        walk.to,
        limits.perDomain,
        JSON.stringify(limits.byDomain),
        JSON.stringify(Object.fromEntries(this.lastTurn)),
        JSON.stringify(limits.without ?? {}),
        this.weights,
      ],
    });
    const claimed = rows.filter((row) => row.email_id !== null);
    this.rememberTurns(claimed);
    if (claimed.length >= limit)
      return { rows: claimed, reached: claimed.map(({ domain }) => domain).reduce(later, '') };
    const [{ reached, steps }] = rows;
    return { rows: claimed, reached: steps === DOMAINS_PER_ROUND ? (reached ?? '') : '' };
  }

  /** Turns go from account to account in order of id, beginning after the last one, and from the end to the start. */
  private rememberTurns(rows: readonly ClaimRow[]): void {
    const turns = new Map<string, string[]>();
    for (const { domain, turn, is_shared } of rows)
      turns.set(domain, is_shared ? [...(turns.get(domain) ?? []), turn] : []);
    for (const [domain, of] of turns) {
      const last = this.lastTurn.get(domain) ?? '';
      this.lastTurn.delete(domain);
      const wrapped = of.filter((turn) => turn <= last);
      if (of.length > 0) this.lastTurn.set(domain, (wrapped.length > 0 ? wrapped : of).reduce(later));
    }
    for (const domain of this.lastTurn.keys()) {
      if (this.lastTurn.size <= MAX_TURNS) break;
      this.lastTurn.delete(domain);
    }
  }
}

const later = (a: string, b: string): string => (b > a ? b : a);

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

/** Pairs of domain and account that a look at the oldest due recipient visits. */
const TURNS_LOOKED_AT = 1_000;
const NEXT_TURN = (behind: string): string =>
  `SELECT r.domain, r.account_id FROM recipients r WHERE (r.domain, r.account_id) > ${behind} AND ${IS_DUE}
   ORDER BY r.domain, r.account_id LIMIT 1`;

/** A loose index scan over the accounts with due mail in a domain, from `first` on, as long as `within` holds. */
const ACCOUNTS = (first: string, within: string): string => {
  const next = (condition: string) =>
    `SELECT r.account_id FROM recipients r WHERE r.domain = walk.domain AND r.account_id ${condition} AND ${within} AND ${IS_DUE}
     ORDER BY r.account_id LIMIT 1`;
  return `(WITH RECURSIVE account AS (
      (${next(first)})
      UNION ALL
      SELECT following.account_id FROM account CROSS JOIN LATERAL (${next('> account.account_id')}) AS following)
    SELECT account_id FROM account)`;
};

/**
 * The accounts whose turn it is in a domain, with their shares of its limit. An account takes at least its weight, so that a
 * limit that is smaller than the sum of the weights is exceeded by the last account instead of taken from it. The part of bulk mail
 * is rounded at random, because shares are often of one recipient.
 */
const TURNS = `(
  SELECT account_id, weight, is_shared, share, floor(share / ${BULK_ONE_IN}.0 + random())::int AS bulk
    FROM (SELECT account_id, weight, is_shared, GREATEST(weight, domain.slots * weight / sum(weight) OVER ())::int AS share
      FROM (SELECT account_id, weight, count(*) OVER () > 1 AS is_shared, row_number() OVER () AS place,
                   sum(weight) OVER (ROWS UNBOUNDED PRECEDING) - weight AS taken
        FROM (SELECT account_id, CASE WHEN $9::jsonb = '{}' THEN 1 ELSE
                       COALESCE(($9::jsonb ->> (SELECT plan FROM accounts WHERE id = account_id))::int, 1) END AS weight
          FROM (
            ${ACCOUNTS('> domain.last', 'true')}
            UNION ALL
            ${ACCOUNTS(">= ''", 'r.account_id <= domain.last')}) AS account
          WHERE domain.without IS NULL OR NOT domain.without ? account_id
          LIMIT CASE WHEN domain.slots > 0 THEN LEAST(domain.slots, ${MAX_SHARERS}) + 1 ELSE 0 END) AS found) AS placed
      WHERE place <= LEAST(domain.slots, ${MAX_SHARERS}) AND taken < domain.slots) AS chosen)`;

/** Due mail of an account in a domain; locks no more rows than are read of it. */
const FRONT = (kind: string, limit: string): string =>
  `SELECT * FROM (
     SELECT r.email_id, r.ordinal FROM recipients r
     WHERE r.domain = walk.domain AND r.account_id = turns.account_id AND ${kind} AND ${IS_DUE} AND r.due_at <= now()
     ORDER BY r.due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS part`;

const CLAIM = `
  WITH RECURSIVE ${WALK('$3', '$4', DOMAINS_PER_ROUND)},
  due AS (
    SELECT front.email_id, front.ordinal, turns.account_id, turns.weight, turns.is_shared FROM walk
    CROSS JOIN LATERAL (
      SELECT COALESCE(($6::jsonb ->> walk.domain)::int, $5::int) AS slots, COALESCE($7::jsonb ->> walk.domain, '') AS last,
             $8::jsonb -> walk.domain AS without) AS domain
    CROSS JOIN LATERAL ${TURNS} AS turns
    CROSS JOIN LATERAL (
      SELECT * FROM (
        ${FRONT('r.is_bulk', 'turns.bulk')}
        UNION ALL
        ${FRONT('NOT r.is_bulk', 'turns.share')}
        UNION ALL
        ${FRONT('r.is_bulk', 'turns.share OFFSET turns.bulk')}) AS parts
      LIMIT turns.share) AS front
    LIMIT $2),
  claimed AS (
    UPDATE recipients r SET claimed_by = $1, fence = r.fence + 1, status = 'sending', wait_reason = NULL, is_due = NULL
      FROM due
    WHERE r.email_id = due.email_id AND r.ordinal = due.ordinal
    RETURNING r.email_id, r.ordinal, r.address, r.domain, r.attempts, r.fence, r.expires_at, r.smtp_enhanced,
              r.is_bulk, due.account_id AS turn, due.weight, due.is_shared),
  walked AS (
    SELECT max(domain) AS reached, max(step) AS steps FROM walk WHERE (SELECT count(*) FROM due) < $2)
  SELECT walked.reached, walked.steps, c.* FROM walked LEFT JOIN (
    SELECT claimed.*, e.account_id, e.domain_id, e.api_key_id, e.mode, e.sender, e.header_to AS to, e.header_cc AS cc, e.reply_to, e.subject, e.tags,
           e.message_id, e.recipient_count, e.sequence, e.created_at, e.scheduled_at, e.sandbox_result, e.unsubscribe, e.tracking,
           e.trace_context, d.envelope
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
      traceContext: row.trace_context,
    },
    domain: row.domain,
    weight: row.weight,
    isBulk: row.is_bulk,
    recipients: [],
    epoch,
    reservedBytes: 0,
  };
}
