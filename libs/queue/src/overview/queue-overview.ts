import { Injectable } from '@nestjs/common';
import { seesDomain, type Visibility, mailboxProviders } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { WAITS, type Wait } from '../explanation.resource.js';
import type { ProviderView, QueueView } from '../queue.resource.js';

/** A group of the whole installation. */
interface GroupRow {
  account_id: string;
  domain_id: string;
  test: boolean;
  domain: string;
  waiting_for: Wait;
  code: number | null;
  host: string | null;
  text: string | null;
  words: string | null;
  block_list: string | null;
  recipients: number;
  bulk: number;
  oldest_due_at: Date | null;
  next_attempt_at: Date | null;
  since: Date;
}

/**
 * A result is used for this many times the duration of its query, so that a large backlog does not keep the database busy,
 * and for at least `MIN_AGE_MS`.
 */
const AGE_FACTOR = 10;
const MIN_AGE_MS = 500;
/** Rows of one response, those with the most recipients first. */
const MAX_QUEUES = 1_000;
const MAX_PROVIDERS = 200;
const MAX_REASONS = 5;

/**
 * All unsettled recipients, from their four partial indexes. An index by account alone does not exist, and one would be
 * written by every claim; so one query serves all accounts, and its result is shared.
 */
const GROUPS = `
  WITH open AS (
    SELECT email_id, domain, status, attempts, due_at, false AS claimed, false AS held, wait_reason, smtp_code, smtp_text, mx, is_bulk
      FROM recipients WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due IS NULL
    UNION ALL
    SELECT email_id, domain, status, attempts, due_at, false, false, wait_reason, smtp_code, smtp_text, mx, is_bulk
      FROM recipients WHERE due_at IS NOT NULL AND claimed_by IS NULL AND is_due
    UNION ALL
    SELECT email_id, domain, status, attempts, due_at, false, true, wait_reason, smtp_code, smtp_text, mx, is_bulk
      FROM recipients WHERE due_at IS NOT NULL AND claimed_by IS NULL AND NOT is_due
    UNION ALL
    SELECT email_id, domain, status, attempts, due_at, true, false, wait_reason, smtp_code, smtp_text, mx, is_bulk
      FROM recipients WHERE claimed_by IS NOT NULL
  ), placed AS (
    SELECT e.account_id, e.domain_id, e.mode = 'test' AS test, open.*, e.created_at, e.scheduled_at,
           CASE WHEN open.claimed THEN 'answer'
                WHEN open.held OR a.standing <> 'active' THEN 'account'
                WHEN open.due_at <= now() THEN 'worker'
                WHEN open.wait_reason IS NOT NULL THEN 'shaping'
                WHEN open.status = 'scheduled' THEN 'schedule'
                WHEN open.attempts > 0 THEN 'retry'
                ELSE 'worker' END AS waiting_for
      FROM open JOIN emails e ON e.id = open.email_id JOIN accounts a ON a.id = e.account_id
  ), caused AS (
    SELECT *,
           CASE waiting_for WHEN 'retry' THEN smtp_code
                            WHEN 'shaping' THEN substring(wait_reason ->> 'words' FROM '^[245][0-9][0-9]')::smallint END AS code,
           CASE waiting_for WHEN 'retry' THEN mx WHEN 'shaping' THEN wait_reason ->> 'mx' END AS host,
           CASE waiting_for WHEN 'retry' THEN smtp_text WHEN 'shaping' THEN wait_reason ->> 'text' END AS text,
           CASE waiting_for WHEN 'shaping' THEN wait_reason ->> 'words' END AS words,
           CASE waiting_for WHEN 'shaping' THEN wait_reason ->> 'blockList' END AS block_list
      FROM placed
  )
  SELECT account_id, domain_id, test, domain, waiting_for, code, host, max(text) AS text, max(words) AS words,
         max(block_list) AS block_list,
         count(*)::int AS recipients, count(*) FILTER (WHERE is_bulk)::int AS bulk,
         min(due_at) FILTER (WHERE NOT claimed AND due_at <= now()) AS oldest_due_at,
         min(due_at) FILTER (WHERE NOT claimed AND due_at > now()) AS next_attempt_at,
         min(CASE WHEN scheduled_at <= now() THEN scheduled_at ELSE created_at END) AS since
    FROM caused GROUP BY account_id, domain_id, test, domain, waiting_for, code, host`;

/** What waits to be delivered, for whom, why and since when. */
@Injectable()
export class QueueOverview {
  private current: { groups: Map<string, GroupRow[]>; usableUntil: number } | undefined;
  private loading: Promise<Map<string, GroupRow[]>> | undefined;

  constructor(private readonly database: Database) {}

  /**
   * The queues that the key sees, those with the most recipients first; at most 1,000. The result is about half a second
   * old, with a backlog of hundreds of thousands of recipients some seconds.
   */
  async list(visibility: Visibility): Promise<QueueView[]> {
    const rows = (await this.groups()).get(visibility.accountId) ?? [];
    const visible = rows.filter(
      ({ test, domain_id }) => (visibility.mode === 'live' || test) && seesDomain(visibility, domain_id),
    );
    return merged(visible)
      .map(toView)
      .sort((a, b) => b.recipients - a.recipients || compare(keyOf(a), keyOf(b)))
      .slice(0, MAX_QUEUES);
  }

  /**
   * For the operator: the providers with the most recipients of all accounts, at most 200. Of the same result as `list`, so it
   * costs no query of its own.
   */
  async byProvider(): Promise<ProviderView[]> {
    const providers = new Map<string, GroupRow[]>();
    for (const row of [...(await this.groups()).values()].flat()) {
      const provider = mailboxProviders.of(row.domain);
      const known = providers.get(provider);
      if (known) known.push(row);
      else providers.set(provider, [row]);
    }
    return [...providers]
      .map(([provider, rows]) => toProviderView(provider, rows))
      .sort((a, b) => b.recipients - a.recipients || compare(a.provider, b.provider))
      .slice(0, MAX_PROVIDERS);
  }

  /** For the operator: recipients of all accounts by their reason for waiting. Of the same result as `list`. */
  async totals(): Promise<{ recipients: number; byWait: Record<Wait, number>; oldestDueAt: Date | null }> {
    const byWait = Object.fromEntries(WAITS.map((wait) => [wait, 0])) as Record<Wait, number>;
    let oldestDueAt: Date | null = null;
    for (const row of [...(await this.groups()).values()].flat()) {
      byWait[row.waiting_for] += row.recipients;
      // Mail of held accounts is due for as long as they are held.
      if (row.waiting_for === 'worker') oldestDueAt = earlier(oldestDueAt, row.oldest_due_at);
    }
    return { recipients: Object.values(byWait).reduce((sum, count) => sum + count, 0), byWait, oldestDueAt };
  }

  private groups(): Promise<Map<string, GroupRow[]>> {
    if (this.current && performance.now() < this.current.usableUntil) return Promise.resolve(this.current.groups);
    this.loading ??= this.load().finally(() => {
      this.loading = undefined;
    });
    return this.loading;
  }

  private async load(): Promise<Map<string, GroupRow[]>> {
    const began = performance.now();
    const { rows } = await this.database.query<GroupRow>({ name: 'queue-overview', text: GROUPS, values: [] });
    const groups = new Map<string, GroupRow[]>();
    for (const row of rows) {
      const known = groups.get(row.account_id);
      if (known) known.push(row);
      else groups.set(row.account_id, [row]);
    }
    const now = performance.now();
    this.current = { groups, usableUntil: now + Math.max(MIN_AGE_MS, AGE_FACTOR * (now - began)) };
    return groups;
  }
}

type GroupKey = Pick<GroupRow, 'domain' | 'waiting_for' | 'code' | 'host'>;
const keyOf = ({ domain, waiting_for, code, host }: GroupKey): string =>
  `${domain} ${waiting_for} ${code ?? ''} ${host ?? ''}`;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Joins the groups of several sending domains. */
function merged(rows: readonly GroupRow[]): GroupRow[] {
  const groups = new Map<string, GroupRow>();
  for (const row of rows) {
    const key = keyOf(row);
    const known = groups.get(key);
    groups.set(
      key,
      known === undefined
        ? row
        : {
            ...known,
            recipients: known.recipients + row.recipients,
            bulk: known.bulk + row.bulk,
            oldest_due_at: earlier(known.oldest_due_at, row.oldest_due_at),
            next_attempt_at: earlier(known.next_attempt_at, row.next_attempt_at),
            since: row.since < known.since ? row.since : known.since,
          },
    );
  }
  return [...groups.values()];
}

function toProviderView(provider: string, rows: readonly GroupRow[]): ProviderView {
  const all = rows.reduce((sum, row) => ({
    ...sum,
    recipients: sum.recipients + row.recipients,
    bulk: sum.bulk + row.bulk,
    oldest_due_at: earlier(sum.oldest_due_at, row.oldest_due_at),
    next_attempt_at: earlier(sum.next_attempt_at, row.next_attempt_at),
    since: row.since < sum.since ? row.since : sum.since,
  }));
  const waits = merged(rows)
    .sort((a, b) => b.recipients - a.recipients || compare(keyOf(a), keyOf(b)))
    .slice(0, MAX_REASONS);
  return {
    provider,
    recipients: all.recipients,
    accounts: new Set(rows.map(({ account_id }) => account_id)).size,
    oldest_due_at: all.oldest_due_at?.toISOString() ?? null,
    next_attempt_at: all.next_attempt_at?.toISOString() ?? null,
    since: all.since.toISOString(),
    waits: waits.map(toView),
  };
}

const earlier = (a: Date | null, b: Date | null): Date | null =>
  a === null ? b : b === null ? a : new Date(Math.min(a.getTime(), b.getTime()));

const toView = (row: GroupRow): QueueView => ({
  object: 'queue',
  domain: row.domain,
  provider: mailboxProviders.of(row.domain),
  recipients: row.recipients,
  bulk: row.bulk,
  oldest_due_at: row.oldest_due_at?.toISOString() ?? null,
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  waiting_for: row.waiting_for,
  reason: sentence(row),
  code: row.code,
  block_list: row.block_list,
  host: row.host,
  since: row.since.toISOString(),
});

function sentence({ waiting_for, text, words, host, code, domain }: GroupRow): string {
  switch (waiting_for) {
    case 'schedule':
      return 'The messages were accepted to be sent at a later time.';
    case 'account':
      return 'The account is blocked or overdue, so its messages are held.';
    case 'worker':
      return `The messages are due and wait for a free delivery slot for ${domain}, where accounts take turns.`;
    case 'answer':
      return 'The messages are being delivered.';
    case 'retry':
      return text === null ? 'The last attempt ended without a reply.' : reply(host, code, text);
    case 'shaping':
      return [text, words === null ? null : `${host ?? 'The receiving server'} answered: ${words}`]
        .filter((part) => part !== null)
        .join(' ');
  }
}

/** Text without a code is our own, and often begins with the name of the host. */
function reply(host: string | null, code: number | null, text: string): string {
  if (code !== null) return `${host ?? 'The receiving server'} answered: ${code} ${text}`;
  return host === null || text.startsWith(host) ? text : `${host}: ${text}`;
}
