import { Config, Log, Wakeups } from '#libs/kernel';
import { appendEvents, Database, type Queryable } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { domainEvent } from '../domain-event.js';
import { DOMAIN_COLUMNS, type DomainRow } from '../domain-row.js';
import { expectedRecords, type Slot } from '../expected-records.js';
import { wakeClaimants } from '../wake-claimants.js';
import { DnsSession } from './dns-session.js';
import { judgeDomain, type DomainVerdict, type Moment } from './domain-verdict.js';
import { wrong, type Outcome } from './judgement.js';
import { RecordCheck } from './record-check.js';
import { zoneView } from './zone-view.js';

/** One domain to look at. The fence says whether the check still counts when it is done. */
export interface DomainCheck {
  domain: DomainRow;
  fence: number;
}

type CheckedRow = DomainRow & { askedAt: Date | null; sequence: number; now: Date };
type Outcomes = ReadonlyMap<Slot, Outcome>;

/** A check takes at most this long; what DNS has not answered by then is left open. */
const CHECK_MS = 20_000;
/** A claim is a lease: whoever died with it is succeeded after this long. */
const LEASE_S = 60;
/** Checks of one account at once in this process: a thousand domains with dead name servers wait for each other only. */
const PER_ACCOUNT = 10;
/** PostgreSQL, appendix A. */
const UNIQUE_VIOLATION = '23505';

const CLAIM = `
  UPDATE domains SET fence = fence + 1, due_at = now() + make_interval(secs => $3)
   WHERE id IN (SELECT id FROM domains WHERE due_at <= now() AND account_id <> ALL($2)
                 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING ${DOMAIN_COLUMNS}, fence`;

const LOCK = `
  SELECT ${DOMAIN_COLUMNS}, asked_at AS "askedAt", sequence, now() AS now
    FROM domains WHERE id = $1 AND fence = $2 AND NOT vouched FOR UPDATE`;

const SETTLE = `
  UPDATE domains SET status = $2, findings = $3, verified_at = $4, warning_since = $5, sequence = $6,
                     checked_at = now(), updated_at = now(), due_at = now() + make_interval(secs => $7)
   WHERE id = $1
  RETURNING ${DOMAIN_COLUMNS}`;

/** Finds out what DNS says of domains, and turns it into what they may do (D-45, D-46). */
@Injectable()
export class DomainVerifier {
  /** Checks under way, by account. */
  private readonly running = new Map<string, number>();
  private readonly sessions = new Set<DnsSession>();
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly wakeups: Wakeups,
    private readonly log: Log,
  ) {}

  /** Takes up to `limit` domains that are due, of no account too many. */
  async claim(limit: number): Promise<DomainCheck[]> {
    const claimed: DomainCheck[] = [];
    while (claimed.length < limit) {
      const full = [...this.running].filter(([, count]) => count >= PER_ACCOUNT).map(([accountId]) => accountId);
      const { rows } = await this.database.query<DomainRow & { fence: number }>({
        name: 'domains-claim',
        text: CLAIM,
        values: [Math.min(PER_ACCOUNT, limit - claimed.length), full, LEASE_S],
      });
      if (rows.length === 0) break;
      for (const { fence, ...domain } of rows) {
        this.running.set(domain.accountId, (this.running.get(domain.accountId) ?? 0) + 1);
        claimed.push({ domain, fence });
      }
    }
    return claimed;
  }

  /** Asks DNS, outside any transaction, and writes down what follows; nothing, when the entry changed hands meanwhile. */
  async check(job: DomainCheck): Promise<void> {
    const session = new DnsSession(CHECK_MS);
    this.sessions.add(session);
    try {
      const outcomes = await this.ask(job.domain, session);
      // What was broken off says nothing about the domain.
      if (this.stopped) await this.giveBack(job);
      else await this.conclude(job, outcomes);
    } finally {
      session.close();
      this.sessions.delete(session);
      this.release(job.domain.accountId);
    }
  }

  /** Breaks off what runs; it is due again at once. */
  stop(): void {
    this.stopped = true;
    for (const session of this.sessions) session.cancel();
  }

  private async ask(domain: DomainRow, session: DnsSession): Promise<Outcomes> {
    const { SERVICE_DOMAIN, DNS_SERVERS = [] } = this.config.settings;
    const zone = await zoneView(domain.name, DNS_SERVERS, session);
    return new RecordCheck(domain, SERVICE_DOMAIN, zone).run(expectedRecords(domain, SERVICE_DOMAIN));
  }

  private async conclude({ domain, fence }: DomainCheck, outcomes: Outcomes): Promise<void> {
    const verdict = await this.settle(domain.id, fence, outcomes);
    if (!verdict?.reason) return;
    this.log.info('domain changed', { domain: domain.id, status: verdict.status, reason: verdict.reason });
    this.wakeups.ring('outbox');
    this.wakeups.ring('due-domains');
  }

  private async giveBack({ domain, fence }: DomainCheck): Promise<void> {
    await this.database.query('UPDATE domains SET due_at = now() WHERE id = $1 AND fence = $2 AND due_at IS NOT NULL', [
      domain.id,
      fence,
    ]);
  }

  private release(accountId: string): void {
    const others = (this.running.get(accountId) ?? 1) - 1;
    if (others > 0) this.running.set(accountId, others);
    else this.running.delete(accountId);
  }

  private async settle(id: string, fence: number, outcomes: Outcomes): Promise<DomainVerdict | null> {
    try {
      return await this.database.transaction((tx) => this.settleIn(tx, { id, fence, outcomes }));
    } catch (error) {
      // Another account's entry became active between our look and our write; now it is there to be seen.
      if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
      return this.database.transaction((tx) => this.settleIn(tx, { id, fence, outcomes }));
    }
  }

  private async settleIn(
    tx: Queryable,
    { id, fence, outcomes }: { id: string; fence: number; outcomes: Outcomes },
  ): Promise<DomainVerdict | null> {
    const { rows } = await tx.query<CheckedRow>(LOCK, [id, fence]);
    if (rows.length === 0) return null;
    const [row] = rows;
    const verdict = await this.verdict(tx, row, outcomes);
    const sequence = row.sequence + (verdict.reason === null ? 0 : 1);
    const settled = await tx.query<DomainRow>(SETTLE, [
      id,
      verdict.status,
      JSON.stringify(verdict.findings),
      verdict.verifiedAt,
      verdict.warningSince,
      sequence,
      verdict.dueInMs / 1_000,
    ]);
    if (verdict.reason !== null) {
      const of = { type: 'domain.updated' as const, reason: verdict.reason, sequence, at: row.now };
      await appendEvents(tx, [domainEvent(settled.rows[0], this.config.settings.SERVICE_DOMAIN, of)]);
    }
    if (row.status === 'active' && verdict.status === 'failed') await wakeClaimants(tx, row.name);
    return verdict;
  }

  /** The first account to publish its key has the domain (D-43); the others wait until it is given up. */
  private async verdict(tx: Queryable, row: CheckedRow, outcomes: Outcomes): Promise<DomainVerdict> {
    const at: Moment = { now: row.now, intervalMs: this.config.settings.DOMAIN_CHECK_INTERVAL };
    const verdict = judgeDomain(row, outcomes, at);
    if (row.status === 'active' || verdict.status !== 'active') return verdict;
    const owners = await tx.query(`SELECT 1 FROM domains WHERE name = $1 AND status = 'active' AND id <> $2`, [
      row.name,
      row.id,
    ]);
    return owners.rowCount === 0 ? verdict : judgeDomain(row, withTakenKey(outcomes), at);
  }
}

/** Told only to those who proved by their own key that they hold the zone. */
function withTakenKey(outcomes: Outcomes): Outcomes {
  const dkim = outcomes.get('dkim');
  const observed = dkim && dkim.verdict !== 'unanswered' ? dkim.observed : [];
  const error =
    'The key is published, but the domain is active in another account. Remove it there, or its key from DNS; this entry becomes active then.';
  return new Map(outcomes).set('dkim', wrong(observed, error));
}
